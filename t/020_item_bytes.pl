# Any bytes as an item: what a client may send in binary form is either an item
# as docs/item-format.md draws it, in its one spelling, or refused.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my $node = ddb_node('item_bytes');
my $file = PostgreSQL::Test::Utils::tempdir() . '/row';
$node->safe_psql('postgres', 'CREATE TABLE received (item ddb.item)');

# Sends bytes (hex, spaces for the eye) through COPY; its text, or the error.
sub receive
{
	my ($hex) = @_;
	$hex =~ s/\s//g;
	my $bytes = pack('H*', $hex);
	open my $out, '>:raw', $file or die;
	print $out "PGCOPY\n\377\r\n\0", pack('NN', 0, 0), pack('nN', 1, length $bytes), $bytes, pack('n', 0xFFFF);
	close $out;
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		"TRUNCATE received;\n\\copy received FROM '$file' WITH (FORMAT binary)\nSELECT item FROM received");
	return $stdout if $stderr eq '';
	return "$1: $2" if $stderr =~ /ERROR:  (.*)\nDETAIL:  (.*)/;
	return $stderr;
}

sub accepted
{
	my ($hex, $text, $what) = @_;
	is(receive($hex), $text, $what);
}

sub refused
{
	my ($hex, $why, $what) = @_;
	is(receive($hex), "invalid item: $why", $what);
}

sub varint
{
	my ($n) = @_;
	my $hex = '';
	for (; $n >= 128; $n >>= 7) { $hex .= sprintf '%02x', $n & 127 | 128; }
	return $hex . sprintf '%02x', $n;
}

# An element of a type whose payload, in hex, has 15 bytes or more.
sub element
{
	my ($type, $payload) = @_;
	return sprintf('%xf', $type) . varint(length($payload) / 2 - 15) . $payload;
}

### What is well

accepted('10 00', '{}', 'an empty item');
accepted('10 04 01 61 22 c102', '{"a": {"N": "1"}}', 'a number');
accepted('10 08 01 61 11 01 62 00', '{"a": {"BOOL": true}, "b": {"NULL": true}}', 'two attributes');
accepted('10 04 01 61 33 00 62 00', '{"a": {"S": "\u0000b\u0000"}}', 'U+0000 in a string');
accepted('10 04 02 61 00 30', '{"a\u0000": {"S": ""}}', 'and in a name');
accepted('10 04 01 61 65 02 01 61 01 62', '{"a": {"SS": ["a", "b"]}}', 'a set');
accepted('10 04 01 61 64 02 00 01 61', '{"a": {"SS": ["", "a"]}}', 'an empty string in a set');
accepted('10 04 01 61 81 00', '{"a": {"L": []}}', 'an empty list');

### Ends

my $ends = 'The bytes end too early.';
refused('', 'The version is unknown.', 'nothing');
refused('10', 'The version is unknown.', 'a version and nothing more');
refused('20 00', 'The version is unknown.', 'another version');
refused('11 00', 'The version is unknown.', 'a flag');
refused('10 04', $ends, 'no entry');
refused('10 04 01', $ends, 'no name');
refused('10 04 02 61', $ends, 'half a name');
refused('10 04 01 61', $ends, 'no element');
refused('10 04 01 61 22 c1', $ends, 'half a number');
refused('10 04 01 61 3f', $ends, 'no length');
refused('10 04 01 61 3f 80', $ends, 'half a length');
refused('10 04 01 61 3f 60 61', $ends, 'half a string');
refused('10 04 01 61 a0 61', $ends, 'half of one of 15 bytes');
refused('10 04 01 61 ff 61', $ends, 'half of one of 110');
refused('10 04 01 61 22 c102 00', 'A list or map is longer than its contents.', 'a byte too many');
refused('10 00 00', 'A list or map is longer than its contents.', 'after an empty map');

### Varints

my $varint = 'A length or count is malformed.';
refused('10 84 00 01 61 22 c102', $varint, 'a count with a needless byte');
refused('10 04 81 00 61 22 c102', $varint, 'a name length with a needless byte');
refused('10 ff ff ff ff ff 01', $varint, 'six bytes');
refused('10 80 80 80 80 10', $varint, '33 bits');
refused('10 fc ff ff ff 0f', $ends, 'a billion entries');
refused('10 04 ff ff ff ff 0f 61', $ends, 'a name of 4 GB');
refused('10 04 01 61 3f ff ff ff ff 0f', 'A value is too long.', 'a string of 4 GB and 15');
refused('10 04 01 61 3f f1 ff ff ff 0f', 'A value is too long.', 'one whose length would wrap to nothing');

### Types and scalars

my $header = 'A header is longer than it need be.';
accepted('10 04 01 61 a0' . '78' x 15, '{"a": {"S": "' . 'x' x 15 . '"}}', 'a string of 15 bytes');
accepted('10 04 01 61 ff' . '78' x 110, '{"a": {"S": "' . 'x' x 110 . '"}}', 'one of 110');
accepted('10 04 01 61 3f 60' . '78' x 111, '{"a": {"S": "' . 'x' x 111 . '"}}', 'one of 111');
refused('10 04 01 61 3f 00' . '78' x 15, $header, 'one of 15 with a length');
refused('10 04 01 61 3f 5f' . '78' x 110, $header, 'one of 110 with a length');
refused('10 04 01 61 01', 'A NULL or BOOL is malformed.', 'NULL with a value');
refused('10 04 01 61 12', 'A NULL or BOOL is malformed.', 'BOOL 2');
my $utf8 = 'A string is not valid UTF-8.';
refused('10 04 01 61 31 80', $utf8, 'a continuation byte alone');
refused('10 04 01 61 31 c3', $utf8, 'half a character');
refused('10 04 01 61 32 c0 80', $utf8, 'an overlong NUL');
refused('10 04 01 61 33 ed a0 80', $utf8, 'a surrogate');
refused('10 04 01 61 34 f4 90 80 80', $utf8, 'beyond Unicode');
refused('10 04 01 61 33 61 00 ff', $utf8, 'bad bytes behind U+0000');
refused('10 04 01 ff 00', 'An attribute name is not valid UTF-8.', 'a bad name');

### Numbers

my $number = 'A number is malformed.';
refused("10 04 01 61 $_->[0]", $number, $_->[1]) foreach (
	[ '20', 'no bytes' ],
	[ '21 c1', 'an exponent alone' ],
	[ '22 80 01', 'a digit 0 first' ],
	[ '23 c1 02 01', 'a digit 0 last' ],
	[ '22 c1 00', 'a byte below the digits' ],
	[ '22 c1 65', 'a digit 100' ],
	[ '22 3e fd', 'a negative without its end' ],
	[ '22 3e ff', 'a negative without digits' ],
	[ '23 3e fe ff', 'a negative digit 0' ],
	[ '23 3e fd 65', 'a negative with another end' ],
	[ '23 3e 9a ff', 'a negative digit 100' ]);
my $nines = '64' x 18;
accepted('10 04 01 61' . element(2, "c1${nines}64"), '{"a": {"N": "99.' . '99' x 18 . '"}}', '38 digits');
accepted('10 04 01 61' . element(2, "c102${nines}5b"), '{"a": {"N": "1.' . '99' x 18 . '9"}}', '38 digits in 20 pairs');
refused('10 04 01 61' . element(2, "c102${nines}64"), $number, '39 digits');
refused('10 04 01 61' . element(2, 'c1' . '64' x 21), $number, '42 digits');

### Names

my $name = 'An attribute name is empty or too long.';
my $order = 'Attribute names are out of order.';
refused('10 04 00 00', $name, 'an empty name');
refused('10 08 01 61 00 01 61 00', $order, 'a name twice');
refused('10 08 01 62 00 01 61 00', $order, 'b before a');
refused('10 08 02 61 61 00 01 62 00', $order, 'a longer name first');
accepted('10 08 01 62 00 02 61 61 00', '{"b": {"NULL": true}, "aa": {"NULL": true}}', 'a shorter name first');

### Sets

my $set = 'A set is not in ascending order.';
refused('10 04 01 61 61 00', 'A set is empty.', 'an empty set');
refused('10 04 01 61 65 02 01 62 01 61', $set, 'b before a');
refused('10 04 01 61 65 02 01 61 01 61', $set, 'a twice');
refused('10 04 01 61 57 02 02 c103 02 c102', $set, '2 before 1');
refused('10 04 01 61 53 01 01 c1', $number, 'a bad number in a set');
refused('10 04 01 61 63 01 01 ff', $utf8, 'bad UTF-8 in a set');
refused('10 04 01 61 63 02 01 61', $ends, 'a member too few');
refused('10 04 01 61 64 01 01 61 00', 'A set is longer than its members.', 'a byte too many');

### Forms.  A string of 1100 bytes makes its item long.

refused('10 03', 'A form is unknown.', 'form 3');
my $long = element(3, '78' x 1100);
my $text = '{"a": {"S": "' . 'x' x 1100 . '"}}';
my $wide = 'A directory has the wrong width.';
my $place = 'A directory does not fit its elements.';
accepted("10 05 0100 0000 61 $long", $text, 'a long item');
refused("10 04 01 61 $long", 'A short body is too long.', 'short, but too long for that');
refused('10 05 0100 0000 61 22 c102', 'A long body should be short.', 'long without need');
refused("10 06 01000000 00000000 61 $long", $wide, 'four bytes without need');
refused("10 05 0100 0100 61 $long", $place, 'an offset past the start');
refused("10 05 0100 ffff 61 $long", $place, 'an offset past the end');
refused("10 05 0000 0000 $long", $name, 'an empty name');
refused("10 05 ffff 0000 61 $long", $ends, 'a name past the end');
refused("10 01", 'A directory is too long.', 'a directory of no entries');
refused("10 05 01", 'A directory is too long.', 'half a directory');
refused('10 fe ff ff ff 0f' . '00' x 2000, 'A directory is too long.', 'a billion entries');
# a, b, c: 1, 2, and the string.
accepted("10 0d 0100 0000 0200 0300 0300 0600 616263 22c102 22c103 $long",
	'{"a": {"N": "1"}, "b": {"N": "2"}, "c": {"S": "' . 'x' x 1100 . '"}}', 'three entries');
refused("10 0d 0100 0300 0200 0000 0300 0600 616263 22c103 22c102 $long",
	'Elements are not in order of size.', 'equal sizes against the names');
refused("10 09 0100 0000 0200 " . unpack('H4', pack 'v', length($long) / 2) . " 6162 $long 22c102",
	'Elements are not in order of size.', 'the large one first');
refused("10 09 0100 0000 0200 0000 6162 22c102 $long", $place, 'two entries with one element');
refused("10 09 0100 0000 0200 0400 6162 22c102 00 $long", $place, 'a gap');
refused("10 09 0200 0000 0100 0300 6162 22c102 $long", 'A directory is malformed.', 'names that go back');
refused("10 09 0100 0000 0200 0300 6261 22c102 $long", $order, 'names out of order');
# A list of the string and 1.
my $list = sub { return '10 05 0100 0000 61' . element(8, $_[0] =~ s/\s//gr) };
my $second = unpack 'H4', pack('v', length($long) / 2);
accepted($list->("09 0000 $second $long 22c102"), '{"a": {"L": [{"S": "' . 'x' x 1100 . '"}, {"N": "1"}]}}', 'a long list');
refused($list->("09 $second 0000 22c102 $long"), $place, 'a list in another order');
refused($list->("08 $long 22c102"), 'A short body is too long.', 'a short list, but too long for that');

### Depth: 31 lists in an item, and one more.

sub nested
{
	my ($depth) = @_;
	my $body = '00';
	for (my $i = 1; $i < $depth; $i++)
	{
		my $n = length($body) / 2;
		$body = '04' . ($n < 15 ? sprintf('8%x%s', $n, $body) : element(8, $body));
	}
	return '10 04 01 61' . element(8, $body);
}
accepted(nested(31), '{"a": ' . '{"L": [' x 31 . ']}' x 31 . '}', '32 levels');
refused(nested(32), 'Lists and maps are nested too deeply.', '33 levels');

### Size: 409600 by DynamoDB's rule.

sub sized
{
	my ($n) = @_;
	return '10 06 01000000 00000000 61' . element(3, '78' x $n);
}
is(length receive(sized(409599)), 409599 + length('{"a": {"S": ""}}'), '400 kB');
refused(sized(409600), 'The item is too large.', 'a byte more');

### Any change of a byte, and any cut, of a good item: refused, or another
### item that is sent back as the very bytes.

$node->safe_psql('postgres', q{
	CREATE FUNCTION samples() RETURNS SETOF ddb.item LANGUAGE sql AS $$
		VALUES ('{"a": {"N": "-12.5"}, "b": {"SS": ["x", "y"]}, "c": {"L": [{"BOOL": true}, {"M": {"é": {"B": "AAEC"}}}]}}'::ddb.item),
			(('{"l": {"NS": ["1", "2"]}, "s": {"S": "' || repeat('s', 1100) || '"}, "m": {"M": {"x": {"NULL": true}}}}')::ddb.item)
	$$});
srand(20261114);
my ($kept, $lost) = (0, 0);
foreach my $hex (split /\n/, $node->safe_psql('postgres', q{SELECT encode(ddb.item_send(i), 'hex') FROM samples() i}))
{
	for (my $round = 0; $round < 60; $round++)
	{
		my $bytes = pack 'H*', $hex;
		my $at = int rand(length($bytes) < 200 || $round % 2 ? length $bytes : 40);
		if ($round % 5 == 4) { $bytes = substr $bytes, 0, $at; }
		else { substr($bytes, $at, 1) = chr int rand 256; }
		my $answer = receive(unpack 'H*', $bytes);
		if ($answer =~ /^invalid item/) { $lost++; next; }
		$kept++;
		is($node->safe_psql('postgres', q{SELECT encode(ddb.item_send(item), 'hex'), item::text::ddb.item = item FROM received}),
			unpack('H*', $bytes) . '|t', 'a changed item is sent back as it came');
	}
}
note "$kept changed items were items, $lost were refused";
cmp_ok($lost, '>', 40, 'most changes are refused');

$node->stop;
done_testing();
