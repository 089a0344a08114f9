# What the TAP tests share: a node with ddb in a UTF-8 database, and psql
# sessions that answer with rows or an SQLSTATE.
package DdbTest;

use strict;
use warnings;
use Exporter 'import';
use IPC::Open3;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(ddb_node session quote canonical index_problems);

# ddb_node(NAME, CONFIGURATION...): a running node, the extension in "postgres".
sub ddb_node
{
	my ($name, @configuration) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C.UTF-8' ]);
	$node->append_conf('postgresql.conf',
		join("\n", 'max_prepared_transactions = 10', @configuration, ''));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION ddb');
	return $node;
}

# A psql that stays open.
sub session
{
	my ($node, $database) = @_;
	my $pid = open3(my $in, my $out, undef, 'psql', '-XqAt', '-v', 'VERBOSITY=sqlstate',
		'-d', $node->connstr($database // 'postgres'));
	binmode($_, ':utf8') foreach $in, $out;
	$in->autoflush(1);
	return bless { pid => $pid, in => $in, out => $out }, 'DdbTest::Session';
}

sub quote
{
	my ($text) = @_;
	$text =~ s/'/''/g;
	return "'$text'";
}

my $json = JSON::PP->new->canonical->allow_nonref;

# One spelling of a document in DynamoDB JSON: member order and the order
# within a set mean nothing.
sub canonical
{
	my ($value) = @_;
	return 'none' if !defined $value;
	return $json->encode(sort_sets($value));
}

sub sort_sets
{
	my ($value) = @_;
	return [ map { sort_sets($_) } @$value ] if ref $value eq 'ARRAY';
	return $value if ref $value ne 'HASH';
	my %copy;
	foreach my $name (keys %$value)
	{
		my $member = $value->{$name};
		$copy{$name} = $name eq 'N' && !ref $member ? "$member" : $name =~ /^[SNB]S$/ && ref $member eq 'ARRAY' && !grep(ref, @$member)
		  ? [ sort @$member ] : sort_sets($member);
	}
	return \%copy;
}

# index_problems(NODE, TABLE, DATABASE): what is wrong with a table's global
# indexes once they have caught up, '' when nothing is.  They are compared by
# ddb.verify_index(), and by SQL with what their definitions say of the table.
sub index_problems
{
	my ($node, $table, $database) = @_;
	$database //= 'postgres';
	my @problems;
	push @problems, 'they do not catch up'
	  if $node->safe_psql($database, "SELECT ddb.wait_for_index('$table', timeout => '60s')") ne 't';
	my @indexes = split /\n/, $node->safe_psql($database, qq{
		SELECT index_name || ' ' || index_relation || ' ' || state FROM ddb.secondary_index
		JOIN ddb.index_status USING (schema_name, index_name) WHERE relation_name = '$table' AND table_name = '$table'});
	push @problems, 'there are none' if !@indexes;
	foreach my $index (@indexes)
	{
		my ($name, $relation, $state) = split / /, $index;
		push @problems, "$name is $state" if $state ne 'ACTIVE';
		my $differences = $node->safe_psql($database, "SELECT difference, key FROM ddb.verify_index('$table', '$name') LIMIT 5");
		push @problems, "$name: $differences" if $differences ne '';
		my $definition = $node->safe_psql($database, "SELECT rtrim(pg_get_viewdef('$relation'::regclass), ';')");
		my $unequal = $node->safe_psql($database, qq{
			SELECT coalesce(d::text, i::text) FROM (SELECT d::text FROM ($definition) d) d
			FULL JOIN (SELECT i::text FROM $relation i) i ON d.d = i.i WHERE d.d IS NULL OR i.i IS NULL LIMIT 5});
		push @problems, "$name: unequal: $unequal" if $unequal ne '';
	}
	return join '; ', @problems;
}

package DdbTest::Session;

use strict;
use warnings;

# The statement's rows, as text; dies on an error whose SQLSTATE is not
# expected, else sets $self->{error}.
sub query
{
	my ($self, $sql, %expected) = @_;
	my ($in, $out, @rows) = ($self->{in}, $self->{out});
	$self->{error} = '';
	print $in "$sql;\n\\echo ~~done~~\n";
	while (my $line = <$out>)
	{
		chomp $line;
		return @rows if $line eq '~~done~~' && !$self->{error};
		last if $line eq '~~done~~';
		if ($line =~ /^(?:ERROR|FATAL|PANIC):\s+(\w{5})/) { $self->{error} = $1; }
		elsif ($line !~ /^(?:WARNING|NOTICE|INFO|DETAIL|HINT|CONTEXT):?/) { push @rows, $line; }
	}
	$self->{error} ||= 'connection lost';
	die "$self->{error}: $sql\n" if !$expected{$self->{error}};
	return;
}

sub quit
{
	my ($self) = @_;
	print { $self->{in} } "\\q\n";
	close $self->{in};
	waitpid($self->{pid}, 0);
}

1;
