# Thousands of random operations, of every kind and through every door,
# against a model in memory: each answer is compared, and now and then the
# whole table.  The same stream runs over string, number and simple keys and
# over a table with a trigger, which takes the executor's path.
#
# The stream is decided by DDB_MODEL_SEED; DDB_MODEL_OPERATIONS makes it longer.
use strict;
use warnings;
use utf8;
use Encode qw(encode_utf8);
use FindBin;
use JSON::PP;
use Storable qw(dclone);
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my $seed = $ENV{DDB_MODEL_SEED} // 20261114;
my $operations = $ENV{DDB_MODEL_OPERATIONS} // 5000;
srand($seed);

my $json = JSON::PP->new->canonical->allow_nonref;
my $node = ddb_node('model');
my $sql = session($node);

# Name, whether there is a sort key, its type, the partition key's type.
my @tables = (
	{ name => 'words', pk => 'S', sk => 'S' },
	{ name => 'numbers', pk => 'S', sk => 'N' },
	{ name => 'simple', pk => 'N', sk => undef },
	{ name => 'triggered', pk => 'S', sk => 'S' });
my %types = (S => 'S', N => 'N');

foreach my $t (@tables)
{
	$sql->query("SELECT ddb.create_table('$t->{name}', partition_key => 'PK', partition_key_type => '$t->{pk}'"
		  . ($t->{sk} ? ", sort_key => 'SK', sort_key_type => '$t->{sk}')" : ')'));
}
$sql->query('CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN coalesce(NEW, OLD); END$$');
$sql->query('CREATE TRIGGER pass BEFORE INSERT OR UPDATE OR DELETE ON triggered FOR EACH ROW EXECUTE FUNCTION pass()');

# The model: $model->{table}{partition key}{sort key} = { attribute => value },
# values as DynamoDB JSON has them, keys not among them.
my $model = { map { $_->{name} => {} } @tables };
my @history;

### Random choices

sub pick { return $_[ rand @_ ]; }
sub chance { return rand() < $_[0]; }

my @words = ('a', 'b', 'ab', 'abc', 'ORDER#1', 'ORDER#10', 'ORDER#2', 'é', 'ß#', "\x{20ac}uro", "\x{10348}", "it's", 'x y', '~', "tab\t");
my @sort_numbers = (0, 1, -1, 2, 10, '0.5', '-0.5', 100, '1.25', 7, 99);

sub random_key
{
	my ($t) = @_;
	my $pk = $t->{pk} eq 'N' ? int(rand 40) : pick('p1', 'p2', 'p3', "\x{e9}t\x{e9}", 'P#1');
	return ($pk, !defined $t->{sk} ? '' : $t->{sk} eq 'N' ? pick(@sort_numbers) : pick(@words));
}

sub number { return { N => '' . int(rand(21) - 10) }; }

sub random_attributes
{
	my %item;
	$item{num} = chance(0.05) ? { S => 'no number' } : number() if chance(0.7);
	$item{str} = { S => pick(@words, '', "nul\0nul", "\x{1}") } if chance(0.6);
	$item{lst} = { L => [ map { number() } 1 .. int(rand 4) ] } if chance(0.4);
	$item{doc} = { M => { x => number(), "y.z" => { BOOL => chance(0.5) ? JSON::PP::true : JSON::PP::false } } } if chance(0.4);
	$item{tags} = { SS => random_tags() } if chance(0.4);
	$item{bin} = { B => 'AAEC' } if chance(0.1);
	$item{none} = { NULL => JSON::PP::true } if chance(0.1);
	$item{pad} = { S => 'x' x int(rand 3000) } if chance(0.05);
	return \%item;
}

sub random_tags
{
	my %set = map { $_ => 1 } pick('red', 'green'), pick('blue', 'green', 'black');
	return [ sort keys %set ];
}

### Shapes

sub key_map
{
	my ($t, $pk, $sk) = @_;
	return { PK => { $t->{pk} => "$pk" }, $t->{sk} ? (SK => { $t->{sk} => "$sk" }) : () };
}

sub whole
{
	my ($t, $pk, $sk, $item) = @_;
	return undef if !$item;
	return { %{ key_map($t, $pk, $sk) }, %$item };
}

# Perl forgets that a number was a string once it has calculated with it.
sub spelled
{
	my ($value) = @_;
	return [ map { spelled($_) } @$value ] if ref $value eq 'ARRAY';
	return $value if ref $value ne 'HASH';
	return { map { ($_ => $_ eq 'N' && !ref $value->{N} ? "$value->{N}" : spelled($value->{$_})) } keys %$value };
}

sub literal { return quote($json->encode(spelled($_[0]))); }
sub typed { return literal($_[0]) . '::ddb.item'; }

sub key_arguments
{
	my ($t, $pk, $sk) = @_;
	return quote($pk) . ($t->{sk} ? ', ' . quote($sk) : '');
}

sub values_argument
{
	my ($values) = @_;
	return '' if !%$values;
	return ', attr_values => ' . typed($values);
}

# Sort keys in DynamoDB's order.
sub sorted_keys
{
	my ($t, $collection) = @_;
	return sort { $a <=> $b } keys %$collection if ($t->{sk} // '') eq 'N';
	return sort { encode_utf8($a) cmp encode_utf8($b) } keys %$collection;
}

### Conditions: text, values, and what they mean

sub random_condition
{
	my $bound = int(rand(21) - 10);
	my $word = pick(@words);
	my $tag = pick('red', 'green', 'blue');
	my $numeric = sub { my $i = shift; return $i && $i->{num} ? $i->{num}{N} : undef; };
	my $string = sub { my $i = shift; return $i && $i->{str} ? $i->{str}{S} : undef; };
	return @{ pick(
		[ 'attribute_not_exists(PK)', {}, sub { !$_[0] } ],
		[ 'attribute_exists(PK)', {}, sub { !!$_[0] } ],
		[ 'num < :bound', { ':bound' => { N => "$bound" } },
			sub { my $n = $numeric->($_[0]); defined $n && $n < $bound } ],
		[ 'num >= :bound OR NOT attribute_exists(str)', { ':bound' => { N => "$bound" } },
			sub { my $n = $numeric->($_[0]); (defined $n && $n >= $bound) || !($_[0] && $_[0]{str}) } ],
		[ 'num BETWEEN :low AND :bound', { ':low' => { N => '-1000000' }, ':bound' => { N => "$bound" } },
			sub { my $n = $numeric->($_[0]); defined $n && $n <= $bound } ],
		[ 'contains(tags, :tag)', { ':tag' => { S => $tag } },
			sub { $_[0] && $_[0]{tags} && !!grep { $_ eq $tag } @{ $_[0]{tags}{SS} } } ],
		[ 'size(lst) > :one', { ':one' => { N => '1' } },
			sub { $_[0] && $_[0]{lst} && @{ $_[0]{lst}{L} } > 1 } ],
		[ 'str <> :word', { ':word' => { S => $word } },
			sub { my $s = $string->($_[0]); !defined $s || $s ne $word } ],
		[ 'begins_with(str, :word)', { ':word' => { S => $word } },
			sub { my $s = $string->($_[0]); defined $s && index($s, $word) == 0 } ],
		[ '(attribute_exists(doc.x) AND doc.x > :zero) OR str IN (:word, :tag)',
			{ ':zero' => { N => '0' }, ':word' => { S => $word }, ':tag' => { S => $tag } },
			sub
			{
				my $i = $_[0] or return 0;
				return 1 if $i->{doc} && $i->{doc}{M}{x} && $i->{doc}{M}{x}{N} > 0;
				my $s = $string->($i);
				return defined $s && ($s eq $word || $s eq $tag);
			} ]) };
}

### Updates: text, values, and what they do to attributes (undef: YD001)

sub random_update
{
	my $by = number();
	my $tags = random_tags();
	my $word = pick(@words);
	my $add = sub
	{
		my ($i) = @_;
		return undef if $i->{num} && !exists $i->{num}{N};
		$i->{num} = { N => '' . (($i->{num} ? $i->{num}{N} : 0) + $by->{N}) };
		return $i;
	};
	return @{ pick(
		[ 'SET num = if_not_exists(num, :u_zero) + :u_by', { ':u_zero' => { N => '0' }, ':u_by' => $by }, $add ],
		[ 'ADD num :u_by', { ':u_by' => $by }, $add ],
		[ 'SET str = :u_word REMOVE lst', { ':u_word' => { S => $word } },
			sub { my $i = shift; $i->{str} = { S => $word }; delete $i->{lst}; return $i; } ],
		[ 'SET lst = list_append(if_not_exists(lst, :u_empty), :u_more)', { ':u_empty' => { L => [] }, ':u_more' => { L => [$by] } },
			sub { my $i = shift; push @{ ($i->{lst} //= { L => [] })->{L} }, $by; return $i; } ],
		[ 'ADD tags :u_tags', { ':u_tags' => { SS => $tags } },
			sub
			{
				my $i = shift;
				my %set = map { $_ => 1 } @$tags, $i->{tags} ? @{ $i->{tags}{SS} } : ();
				$i->{tags} = { SS => [ sort keys %set ] };
				return $i;
			} ],
		[ 'DELETE tags :u_tags', { ':u_tags' => { SS => $tags } },
			sub
			{
				my $i = shift;
				return $i if !$i->{tags};
				my %gone = map { $_ => 1 } @$tags;
				my @left = grep { !$gone{$_} } @{ $i->{tags}{SS} };
				if (@left) { $i->{tags} = { SS => \@left }; }
				else { delete $i->{tags}; }
				return $i;
			}, 'removes' ],
		[ 'SET doc = :u_doc', { ':u_doc' => { M => { x => $by } } },
			sub { my $i = shift; $i->{doc} = { M => { x => $by } }; return $i; } ],
		[ 'SET doc.x = :u_by', { ':u_by' => $by },
			sub { my $i = shift; return undef if !$i->{doc}; $i->{doc}{M}{x} = $by; return $i; } ],
		[ 'REMOVE doc.x, str', {},
			sub { my $i = shift; return undef if !$i->{doc}; delete $i->{doc}{M}{x}; delete $i->{str}; return $i; }, 'removes' ],
		[ 'SET lst[0] = :u_by, str = :u_word', { ':u_by' => $by, ':u_word' => { S => $word } },
			sub
			{
				my $i = shift;
				return undef if !$i->{lst};
				$i->{lst}{L}[0] = $by;
				$i->{str} = { S => $word };
				return $i;
			} ]) };
}

# The item after an update, or (undef, 1) when it is an error.
sub updated
{
	my ($old, $change, $removes) = @_;
	return (undef, 0) if !$old && $removes;
	my $new = $change->($old ? dclone($old) : {});
	return ($new, !$new);
}

### Comparing

sub same
{
	my ($what, $got, $expected) = @_;
	return if $got eq $expected;
	fail(encode_utf8("$what: got $got, expected $expected"));
	diag("seed $seed, the last statements:");
	diag(encode_utf8($_)) foreach splice(@history, -12);
	done_testing();
	exit 1;
}

sub ask
{
	my ($statement, $error) = @_;
	push @history, $statement;
	my @rows = $sql->query($statement, map { $_ => 1 } qw(YD001 YD002 YD003));
	same("error of $statement", $sql->{error}, $error // '');
	return @rows;
}

sub from_text { return defined $_[0] && $_[0] ne '' ? canonical($json->decode($_[0])) : 'none'; }

### The operations.  Each changes the model and compares the answer.

sub put
{
	my ($t) = @_;
	my ($pk, $sk) = random_key($t);
	my $old = $model->{ $t->{name} }{$pk}{$sk};
	my $new = random_attributes();
	my $call = "'$t->{name}', " . typed(whole($t, $pk, $sk, $new));
	if (chance(0.5))
	{
		my ($got) = ask("SELECT ddb.put_item($call, return_values => 'ALL_OLD')");
		same("put's old item", from_text($got), canonical(whole($t, $pk, $sk, $old)));
	}
	else
	{
		my ($condition, $values, $meaning) = random_condition();
		my $holds = $meaning->($old);
		$call .= ', condition => ' . quote($condition) . values_argument($values);
		if (chance(0.5)) { ask("SELECT ddb.put_item($call)", $holds ? '' : 'YD002'); }
		else
		{
			my ($got) = ask("SELECT ddb.try_put_item($call)");
			same("try_put_item($call)", $got, $holds ? 't' : 'f');
		}
		return if !$holds;
	}
	$model->{ $t->{name} }{$pk}{$sk} = $new;
}

sub update
{
	my ($t) = @_;
	my ($pk, $sk) = random_key($t);
	my $old = $model->{ $t->{name} }{$pk}{$sk};
	my ($text, $values, $change, $removes) = random_update();
	my ($condition, $condition_values, $meaning) = chance(0.3) ? random_condition() : ();
	my ($new, $wrong) = updated($old, $change, $removes);
	my $holds = !$meaning || $meaning->($old);
	my $try = $meaning && chance(0.5);
	my $call = ($try ? 'ddb.try_update_item' : 'ddb.update_item') . "('$t->{name}', " . key_arguments($t, $pk, $sk)
	  . ', update => ' . quote($text) . ($meaning ? ', condition => ' . quote($condition) : '')
	  . values_argument({ %$values, %{ $condition_values // {} } });

	$wrong = 0 if !$holds;
	my ($got) = ask("SELECT $call)", $wrong ? 'YD001' : $holds || $try ? '' : 'YD002');
	same($call, from_text($got), $holds ? canonical(whole($t, $pk, $sk, $new)) : 'none')
	  if !$wrong && ($old || !$removes);
	$model->{ $t->{name} }{$pk}{$sk} = $new if $holds && !$wrong && $new;
}

sub remove
{
	my ($t) = @_;
	my ($pk, $sk) = random_key($t);
	my $old = $model->{ $t->{name} }{$pk}{$sk};
	my $call = "'$t->{name}', " . key_arguments($t, $pk, $sk);
	if (chance(0.5))
	{
		my ($got) = ask("SELECT ddb.delete_item($call)");
		same("delete_item($call)", from_text($got), canonical(whole($t, $pk, $sk, $old)));
	}
	else
	{
		my ($condition, $values, $meaning) = random_condition();
		my $holds = $meaning->($old);
		ask("SELECT ddb.delete_item($call, condition => " . quote($condition) . values_argument($values) . ')',
			$holds ? '' : 'YD002');
		return if !$holds;
	}
	delete $model->{ $t->{name} }{$pk}{$sk};
}

sub get
{
	my ($t) = @_;
	my ($pk, $sk) = random_key($t);
	my $item = whole($t, $pk, $sk, $model->{ $t->{name} }{$pk}{$sk});
	my $call = "'$t->{name}', " . key_arguments($t, $pk, $sk);
	if (chance(0.3) && $item)
	{
		$call .= ", projection => 'PK, str, doc.x'";
		my $some = { PK => $item->{PK}, $item->{str} ? (str => $item->{str}) : () };
		$some->{doc} = { M => { x => $item->{doc}{M}{x} } } if $item->{doc} && $item->{doc}{M}{x};
		$item = $some;
	}
	my ($got) = ask("SELECT ddb.get_item($call)");
	same("get_item($call)", from_text($got), canonical($item));
}

# A condition on the sort key, in words and as a test.
sub random_range
{
	my ($t) = @_;
	my $numeric = $t->{sk} eq 'N';
	my @bounds = map { $numeric ? pick(@sort_numbers) : pick(@words) } 1, 2;
	my $order = sub
	{
		my ($x, $y) = @_;
		return $numeric ? $x <=> $y : encode_utf8($x) cmp encode_utf8($y);
	};
	@bounds = sort { $order->($a, $b) } @bounds;
	my ($low, $high) = @bounds;
	my $values = sub { my $i = 0; return { map { ':k' . $i++ => { $t->{sk} => "$_" } } @_ }; };
	return @{ pick(
		[ '', {}, sub { 1 } ],
		[ 'SK = :k0', $values->($low), sub { $order->($_[0], $low) == 0 } ],
		[ 'SK < :k0', $values->($low), sub { $order->($_[0], $low) < 0 } ],
		[ 'SK <= :k0', $values->($low), sub { $order->($_[0], $low) <= 0 } ],
		[ 'SK > :k0', $values->($low), sub { $order->($_[0], $low) > 0 } ],
		[ ':k0 <= SK', $values->($low), sub { $order->($_[0], $low) >= 0 } ],
		[ 'SK BETWEEN :k0 AND :k1', $values->($low, $high),
			sub { $order->($_[0], $low) >= 0 && $order->($_[0], $high) <= 0 } ],
		$numeric ? () : [ 'begins_with(SK, :k0)', $values->($low), sub { index($_[0], $low) == 0 } ]) };
}

sub query
{
	my ($t) = @_;
	return get($t) if !$t->{sk};
	my ($pk, $start) = random_key($t);
	my ($range, $values, $inside) = random_range($t);
	my ($filter, $filter_values, $meaning) = chance(0.3) ? random_condition() : ();
	# A filter may not name the key attributes of what is queried.
	undef $meaning if $meaning && $filter =~ /PK/;
	my $forward = chance(0.6);
	my $limit = chance(0.5) ? 1 + int(rand 6) : 0;
	my $collection = $model->{ $t->{name} }{$pk} // {};

	my @keys = grep { $collection->{$_} && $inside->($_) } sorted_keys($t, $collection);
	@keys = reverse @keys if !$forward;
	my $resumed = chance(0.3) && @keys > 1;
	if ($resumed) { $start = $keys[ rand @keys ]; shift @keys while @keys && $keys[0] ne $start; shift @keys; }

	my $condition = 'PK = :pk' . ($range ? " AND $range" : '');
	my $all = { ':pk' => { $t->{pk} => "$pk" }, %$values, %{ $meaning ? $filter_values : {} } };
	if (chance(0.4)) { return pages($t, $condition, $all, $meaning ? $filter : undef, $meaning, $forward, $pk, $resumed ? $start : undef, @keys); }

	@keys = grep { $meaning->($collection->{$_}) } @keys if $meaning;
	splice(@keys, $limit) if $limit && @keys > $limit;
	my $call = "'$t->{name}', " . quote($condition) . ($meaning ? ', filter => ' . quote($filter) : '')
	  . values_argument($all) . ($forward ? '' : ', scan_forward => false') . ($limit ? ", max_items => $limit" : '')
	  . ($resumed ? ', start_key => ' . typed(whole($t, $pk, $start, $collection->{$start})) : '');
	my @got = ask("SELECT i FROM ddb.query($call) i");
	same("query($call)", join("\n", map { from_text($_) } @got),
		join("\n", map { canonical(whole($t, $pk, $_, $collection->{$_})) } @keys));

	# The same collection by plain SQL, where there is no condition beside it.
	return if $range || $meaning || $resumed;
	@got = ask("SELECT ddb.full_item(r) FROM $t->{name} r WHERE pk = " . quote($pk)
		  . ' ORDER BY sk' . ($forward ? '' : ' DESC') . ($limit ? " LIMIT $limit" : ''));
	same("SELECT of $pk", join("\n", map { from_text($_) } @got),
		join("\n", map { canonical(whole($t, $pk, $_, $collection->{$_})) } @keys));
}

# The API's pages, put together again.
sub pages
{
	my ($t, $condition, $values, $filter, $meaning, $forward, $pk, $start, @keys) = @_;
	my $request = { TableName => $t->{name}, KeyConditionExpression => $condition,
		ExpressionAttributeValues => $values, ScanIndexForward => $forward ? JSON::PP::true : JSON::PP::false,
		Limit => 1 + int(rand 5), $filter ? (FilterExpression => $filter) : () };
	$request->{ExclusiveStartKey} = key_map($t, $pk, $start) if defined $start;
	my $collection = $model->{ $t->{name} }{$pk};
	my ($scanned, $count, @items) = (0, 0);
	do
	{
		my ($reply) = ask("SELECT ddb.api('Query', " . literal($request) . ')');
		my $page = $json->decode($reply);
		same('the items of a page', scalar @{ $page->{Items} }, $page->{Count});
		same('the limit of a page', $page->{ScannedCount} <= $request->{Limit} ? 'kept' : 'broken', 'kept');
		$scanned += $page->{ScannedCount};
		push @items, @{ $page->{Items} };
		$request->{ExclusiveStartKey} = $page->{LastEvaluatedKey};
	} while ($request->{ExclusiveStartKey});
	delete $request->{ExclusiveStartKey};
	same('all scanned', $scanned, scalar @keys);
	@keys = grep { $meaning->($collection->{$_}) } @keys if $meaning;
	same('pages of ' . $json->encode($request), join("\n", map { canonical($_) } @items),
		join("\n", map { canonical(whole($t, $pk, $_, $collection->{$_})) } @keys));
}

sub everything
{
	my ($t) = @_;
	my $table = $model->{ $t->{name} };
	my @all;
	foreach my $pk (keys %$table)
	{
		push @all, map { canonical(whole($t, $pk, $_, $table->{$pk}{$_})) }
		  grep { $table->{$pk}{$_} } keys %{ $table->{$pk} };
	}
	return join("\n", sort @all);
}

sub scan
{
	my ($t) = @_;
	my $segments = pick(1, 2, 3, 7);
	my @got = map { ask("SELECT i FROM ddb.scan('$t->{name}', segment => $_, total_segments => $segments) i") } 0 .. $segments - 1;
	same("scan of $t->{name} in $segments segments", join("\n", sort map { from_text($_) } @got), everything($t));
}

# A batch through the API: up to 25 puts and deletes of distinct keys.
sub batch
{
	my ($t) = @_;
	my (%done, @requests);
	foreach (1 .. 1 + int(rand 12))
	{
		my ($pk, $sk) = random_key($t);
		next if $done{"$pk/$sk"}++;
		if (chance(0.7))
		{
			my $new = random_attributes();
			push @requests, { PutRequest => { Item => whole($t, $pk, $sk, $new) } };
			$model->{ $t->{name} }{$pk}{$sk} = $new;
		}
		else
		{
			push @requests, { DeleteRequest => { Key => key_map($t, $pk, $sk) } };
			delete $model->{ $t->{name} }{$pk}{$sk};
		}
	}
	ask("SELECT ddb.api('BatchWriteItem', " . literal({ RequestItems => { $t->{name} => \@requests } }) . ')');
	my @keys = map { my ($pk, $sk) = random_key($t); [ $pk, $sk ] } 1 .. 6;
	my %distinct = map { ("$_->[0]/$_->[1]" => $_) } @keys;
	my ($reply) = ask("SELECT ddb.api('BatchGetItem', "
		  . literal({ RequestItems => { $t->{name} => { Keys => [ map { key_map($t, @$_) } values %distinct ] } } }) . ')');
	my @expected = grep { defined } map { whole($t, @$_, $model->{ $t->{name} }{ $_->[0] }{ $_->[1] }) } values %distinct;
	same('BatchGetItem', join("\n", sort map { canonical($_) } @{ $json->decode($reply)->{Responses}{ $t->{name} } // [] }),
		join("\n", sort map { canonical($_) } @expected));
}

# All or nothing, over several tables.
sub transact
{
	my (@actions, %done, @changes);
	my ($bad, $wrong) = (0, 0);
	foreach (1 .. 1 + int(rand 6))
	{
		my $t = pick(@tables);
		my ($pk, $sk) = random_key($t);
		next if $done{"$t->{name}/$pk/$sk"}++;
		my $old = $model->{ $t->{name} }{$pk}{$sk};
		my ($condition, $values, $meaning) = random_condition();
		my $kind = pick(qw(Put Update Delete ConditionCheck));
		my $action = { TableName => $t->{name} };
		if ($kind eq 'ConditionCheck' || chance(0.4))
		{
			$action->{ConditionExpression} = $condition;
			$action->{ExpressionAttributeValues} = $values if %$values;
			$bad++ if !$meaning->($old);
		}
		my $new = $old;
		if ($kind eq 'Put')
		{
			$new = random_attributes();
			$action->{Item} = whole($t, $pk, $sk, $new);
		}
		else { $action->{Key} = key_map($t, $pk, $sk); }
		$new = undef if $kind eq 'Delete';
		if ($kind eq 'Update')
		{
			# One that cannot fail: which of two failures is told is not our question.
			my $by = number();
			$action->{UpdateExpression} = 'SET str = :new_str';
			$action->{ExpressionAttributeValues}{':new_str'} = { S => 'transacted' };
			$new = { $old ? %{ dclone($old) } : (), str => { S => 'transacted' } };
		}
		push @actions, { $kind => $action };
		push @changes, sub
		{
			if ($new) { $model->{ $t->{name} }{$pk}{$sk} = $new; }
			else { delete $model->{ $t->{name} }{$pk}{$sk}; }
		};
	}
	ask('SELECT ddb.transact_write_items(' . literal(\@actions) . ')', $bad ? 'YD003' : '');
	return if $bad;
	$_->() foreach @changes;
}

# Plain SQL on the same rows.
sub plain_sql
{
	my ($t) = @_;
	my ($pk, $sk) = random_key($t);
	my $old = $model->{ $t->{name} }{$pk}{$sk};
	my $new = random_attributes();
	my $where = 'pk = ' . quote($pk) . ($t->{sk} ? ' AND sk = ' . quote($sk) : '');
	my $columns = $t->{sk} ? 'pk, sk' : 'pk';
	my $kind = int(rand 4);
	if ($kind == 0)
	{
		ask("INSERT INTO $t->{name} VALUES (" . key_arguments($t, $pk, $sk) . ', ' . literal($new)
			  . ") ON CONFLICT ($columns) DO UPDATE SET item = EXCLUDED.item");
		$model->{ $t->{name} }{$pk}{$sk} = $new;
	}
	elsif ($kind == 1)
	{
		ask("INSERT INTO $t->{name} VALUES (" . key_arguments($t, $pk, $sk) . ', ' . literal($new) . ') ON CONFLICT DO NOTHING');
		$model->{ $t->{name} }{$pk}{$sk} = $new if !$old;
	}
	elsif ($kind == 2)
	{
		my ($got) = ask("UPDATE $t->{name} SET item = item || '{\"num\": 5}' WHERE $where RETURNING item");
		if ($old) { $old->{num} = { N => '5' }; }
		same("UPDATE where $where", from_text($got), $old ? canonical($old) : 'none');
	}
	else
	{
		my ($got) = ask("DELETE FROM $t->{name} WHERE $where RETURNING item");
		same("DELETE where $where", from_text($got), $old ? canonical($old) : 'none');
		delete $model->{ $t->{name} }{$pk}{$sk};
	}
}

### The stream

my @kinds = ((\&put) x 5, (\&update) x 6, (\&remove) x 2, (\&get) x 3, (\&query) x 6, \&scan, \&batch, (\&transact) x 2, (\&plain_sql) x 3);
my ($before, $saved, $inside) = (undef, undef, 0);
foreach my $number (1 .. $operations)
{
	if (!$inside && chance(0.05))
	{
		ask('BEGIN');
		$before = dclone($model);
		$inside = 1;
	}
	my $operation = pick(@kinds);
	if ($inside)
	{
		# An error would end the transaction, so each statement is one that can be undone.
		ask('SAVEPOINT s');
		$saved = dclone($model);
		$operation->(pick(@tables));
		if ($sql->{error} || chance(0.1))
		{
			ask('ROLLBACK TO s');
			$model = $saved;
		}
		if (chance(0.25))
		{
			my $commit = chance(0.6);
			ask($commit ? 'COMMIT' : 'ROLLBACK');
			$model = $before if !$commit;
			$inside = 0;
		}
		next;
	}
	$operation->(pick(@tables));
	if ($number % 500 == 0) { ask("VACUUM $_->{name}") foreach @tables; }
	if ($number % 700 == 0) { ask("SELECT ddb.compact('$_->{name}')") foreach @tables; }
	if ($number % 1600 == 0)
	{
		$sql->quit;
		$node->stop('immediate');
		$node->start;
		$sql = session($node);
	}
	if ($number % 250 == 0) { scan($_) foreach @tables; }
}
ask('COMMIT') if $inside;
scan($_) foreach @tables;
pass("$operations operations of seed $seed answered as the model does");
$sql->quit;
$node->stop;
done_testing();
