# Thousands of random writes by several connections, some in transactions that
# stay open for a while, against a model in memory: after each quiescence the
# table's four global indexes and its local one hold what the model says, and
# queries give it in order.
#
# The stream is decided by DDB_MODEL_SEED; DDB_MODEL_OPERATIONS makes it longer.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my $seed = $ENV{DDB_MODEL_SEED} // 20261130;
my $operations = $ENV{DDB_MODEL_OPERATIONS} // 4000;
srand($seed);
my $json = JSON::PP->new->canonical->allow_nonref;
my $node = ddb_node('index_model', 'ddb.index_log_size = 128kB');
my @sessions = map { session($node) } 1 .. 4;
$sessions[0]->query($_) foreach
	q{SELECT ddb.create_table('t', partition_key => 'PK', sort_key => 'SK')},
	q{SELECT ddb.add_index('t', 'included', 'kind', 'name', projection => 'INCLUDE', include => '{num, note}')},
	q{SELECT ddb.add_index('t', 'numbers', 'kind', 'num', projection => 'KEYS_ONLY', sort_key_type => 'N')},
	q{SELECT ddb.add_index('t', 'sharded', 'owner', 'num', sort_key_type => 'N', shards => 5)},
	q{SELECT ddb.add_index('t', 'tuples', ARRAY['kind'], ARRAY['name', 'num'], sort_key_type => '{S,N}')},
	q{SELECT ddb.add_local_index('t', 'local', 'num', 'N')};

# Index: its keys and, but for ALL, what else it holds.
my %indexes = (
	included => [ [ 'kind', 'name' ], [ 'num', 'note' ] ],
	numbers => [ [ 'kind', 'num' ], [] ],
	sharded => [ [ 'owner', 'num' ], undef ],
	tuples => [ [ 'kind', 'name', 'num' ], undef ]);
my %types = (kind => 'S', name => 'S', owner => 'S', num => 'N', note => 'S');
my %values = (
	kind => [ 'a', 'b', 'c' ], owner => [ 'x', 'y' ], num => [ -10, -1, 0, 1, 2, 10, 100 ],
	name => [ 'n', 'nn', 'm', 'nm' ], note => [ 'short', 'y' x 200 ]);

# The model: "pk sk" => { attribute => value }.  A transaction's writes wait in
# its session, and it alone writes to its items.
my %model;
my @open = map { undef } @sessions;

sub pick { return $_[ rand @_ ]; }
sub chance { return rand() < $_[0]; }

sub random_item
{
	return { map { ($_ => pick(@{ $values{$_} })) } grep { chance(0.8) } sort keys %values };
}

sub spelled { my ($item) = @_; return { map { ($_ => { $types{$_} => "$item->{$_}" }) } keys %$item }; }

# One random write; what it makes of the item (undef: it is gone).
sub operate
{
	my ($session, $key, $item) = @_;
	my ($pk, $sk) = split / /, $key;
	my $kind = int(rand 8);
	if ($kind == 0)
	{
		$session->query("SELECT ddb.delete_item('t', '$pk', '$sk')");
		return undef;
	}
	if ($kind == 1)
	{
		$session->query("DELETE FROM t WHERE pk = '$pk' AND sk = '$sk'");
		return undef;
	}
	if ($kind == 2 || $kind == 3)
	{
		my $name = pick(sort keys %values);
		my $value = pick(@{ $values{$name} });
		my $values = quote($json->encode({ ':v' => { $types{$name} => "$value" } }));
		$session->query("SELECT ddb.update_item('t', '$pk', '$sk', update => 'SET #n = :v', attr_names => '{\"#n\": \"$name\"}', attr_values => $values\::ddb.item)");
		return { %{ $item // {} }, $name => $value };
	}
	if ($kind == 4 && $item)
	{
		my %left = %$item;
		my $name = pick(sort keys %values);
		delete $left{$name};
		$session->query("SELECT ddb.update_item('t', '$pk', '$sk', update => 'REMOVE #n', attr_names => '{\"#n\": \"$name\"}')");
		return \%left;
	}
	my $new = random_item();
	my $text = quote($json->encode(spelled($new)));
	if ($kind == 5)
	{
		$session->query("INSERT INTO t VALUES ('$pk', '$sk', $text) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item", '42P10' => 1);
		return $new if !$session->{error};
	}
	my $whole = quote($json->encode({ %{ spelled($new) }, PK => { S => $pk }, SK => { S => $sk } }));
	$session->query("SELECT ddb.put_item('t', $whole\::ddb.item)");
	return $new;
}

sub finish
{
	my ($n) = @_;
	my $commit = chance(0.7);
	$sessions[$n]->query($commit ? 'COMMIT' : 'ROLLBACK');
	if ($commit)
	{
		foreach my $key (keys %{ $open[$n] })
		{
			if ($open[$n]{$key}) { $model{$key} = $open[$n]{$key}; }
			else { delete $model{$key}; }
		}
	}
	$open[$n] = undef;
}

sub write_something
{
	my ($n) = @_;
	my $key = 'p' . int(rand 8) . ' s' . int(rand 30);
	foreach my $other (grep { $_ != $n } 0 .. $#sessions)
	{
		return if $open[$other] && exists $open[$other]{$key};
	}
	if (!$open[$n] && chance(0.05))
	{
		$sessions[$n]->query('BEGIN');
		$open[$n] = {};
	}
	if ($open[$n])
	{
		my $savepoint = chance(0.3);
		$sessions[$n]->query('SAVEPOINT s');
		my $new = operate($sessions[$n], $key, exists $open[$n]{$key} ? $open[$n]{$key} : $model{$key});
		if ($sessions[$n]{error} || $savepoint) { $sessions[$n]->query('ROLLBACK TO s'); }
		else { $open[$n]{$key} = $new; }
		finish($n) if chance(0.1);
		return;
	}
	my $new = operate($sessions[$n], $key, $model{$key});
	if ($new) { $model{$key} = $new; }
	else { delete $model{$key}; }
}

### Comparing

sub same
{
	my ($what, $got, $expected) = @_;
	return if $got eq $expected;
	fail("$what (seed $seed)");
	diag("got      $got\nexpected $expected");
	done_testing();
	exit 1;
}

# The items of an index as lines, in the order of their keys.
sub expected
{
	my ($keys, $others) = @_;
	my @lines;
	foreach my $key (sort keys %model)
	{
		my $item = $model{$key};
		next if grep { !exists $item->{$_} } @$keys;
		my %shown = map { ($_ => 1) } @$keys, @{ $others // [ keys %$item ] };
		push @lines, "$key " . $json->encode(spelled({ map { ($_ => $item->{$_}) } grep { $shown{$_} } keys %$item }));
	}
	return join "\n", sort @lines;
}

sub compare
{
	my $sql = $sessions[0];
	same('waiting', ($sql->query(q{SELECT ddb.wait_for_index('t', timeout => '20s')}))[0], 't');
	same('the table', join("\n", sort(stored('t'))), expected([], undef));
	foreach my $name (sort keys %indexes)
	{
		my ($keys, $others) = @{ $indexes{$name} };
		same($name, join("\n", sort(stored("t_$name"))), expected($keys, $others));
		same("verify $name", join(' ', $sql->query("SELECT difference FROM ddb.verify_index('t', '$name')")), '');
	}
	foreach my $order ('true', 'false')
	{
		my @owners = $sql->query("SELECT coalesce(item->>'num', '?') FROM ddb.query('t', '#o = :o', attr_names => '{\"#o\": \"owner\"}', attr_values => '{\":o\": \"x\"}', index_name => 'sharded', scan_forward => $order) item");
		my @numbers = sort { $a <=> $b } map { $_->{num} } grep { exists $_->{num} && ($_->{owner} // '') eq 'x' } values %model;
		same("a query of shards, forward $order", "@owners", join ' ', $order eq 'true' ? @numbers : reverse @numbers);
		my @local = $sql->query("SELECT item->>'num' FROM ddb.query('t', 'PK = :p', attr_values => '{\":p\": \"p1\"}', index_name => 'local', scan_forward => $order) item");
		@numbers = sort { $a <=> $b } map { $model{$_}{num} } grep { /^p1 / && exists $model{$_}{num} } keys %model;
		same("a query of the local index, forward $order", "@local", join ' ', $order eq 'true' ? @numbers : reverse @numbers);
	}
}

sub stored
{
	my ($relation) = @_;
	my @lines;
	foreach my $row ($sessions[0]->query("SELECT pk || ' ' || sk || ' ' || item FROM $relation"))
	{
		my ($pk, $sk, $item) = split / /, $row, 3;
		push @lines, "$pk $sk " . $json->encode($json->decode($item));
	}
	return @lines;
}

foreach my $number (1 .. $operations)
{
	write_something(int rand @sessions);
	if ($number % 400 == 0)
	{
		foreach my $n (0 .. $#sessions) { finish($n) if $open[$n]; }
		compare();
	}
	if ($number == $operations / 2)
	{
		foreach my $n (0 .. $#sessions) { finish($n) if $open[$n]; }
		$sessions[0]->query("SELECT ddb.compact('t')");
		$sessions[0]->query("SELECT ddb.drop_index('t', 'numbers')");
		$sessions[0]->query(q{SELECT ddb.add_index('t', 'numbers', 'kind', 'num', projection => 'KEYS_ONLY', sort_key_type => 'N')});
	}
}
pass("$operations operations of seed $seed left in the indexes what the model says");
$_->quit foreach @sessions;
$node->stop;
done_testing();
