# Whatever a user can call says what it does: every function in schema ddb has
# a comment, and those that are called by name have a row in the README's
# reference with all their parameters.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('documentation');
my $readme = PostgreSQL::Test::Utils::slurp_file("$FindBin::Bin/../README.md");
my ($reference) = $readme =~ /^## Reference\n(.*?)^## /ms;

is($node->safe_psql('postgres', q{
	SELECT p.oid::regprocedure FROM pg_proc p
	WHERE pronamespace = 'ddb'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL ORDER BY 1}),
	'', 'every function has a comment');
is($node->safe_psql('postgres', q{
	SELECT c.oid::regclass FROM pg_class c WHERE relnamespace = 'ddb'::regnamespace AND relkind IN ('r', 'v', 'S')
		AND obj_description(c.oid, 'pg_class') IS NULL}),
	'', 'every table and view has a comment');
is($node->safe_psql('postgres', q{
	SELECT t.typname FROM pg_type t WHERE typnamespace = 'ddb'::regnamespace AND typtype = 'b' AND typelem = 0
		AND obj_description(t.oid, 'pg_type') IS NULL}),
	'', 'every type has a comment');

# Functions behind operators, casts, types and index support have no name to call.
my @functions = split /\n/, $node->safe_psql('postgres', q{
	SELECT proname || '|' || array_to_string(proargnames, ',') FROM pg_proc p
	WHERE pronamespace = 'ddb'::regnamespace
		AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (typinput, typoutput, typreceive, typsend, typanalyze))
		AND NOT EXISTS (SELECT FROM pg_operator o WHERE p.oid IN (oprcode, oprrest, oprjoin))
		AND NOT EXISTS (SELECT FROM pg_cast c WHERE p.oid = castfunc)
		AND NOT EXISTS (SELECT FROM pg_amproc a WHERE p.oid = a.amproc)
		AND 'internal'::regtype <> ALL (proargtypes)
		AND NOT EXISTS (SELECT FROM pg_proc f WHERE p.oid = f.prosupport)
		AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (aggtransfn, aggfinalfn))
		AND prorettype NOT IN ('event_trigger'::regtype, 'trigger'::regtype, 'internal'::regtype,
			'table_am_handler'::regtype, 'index_am_handler'::regtype)
	ORDER BY 1});
foreach (@functions)
{
	my ($name, $parameters) = split /\|/;
	my ($row) = $reference =~ /^(\| `ddb\.$name`.*)$/m;
	ok(defined $row, "the README's reference has ddb.$name");
	next if !defined $row || $row =~ /\bas `/;
	my @missing = grep { $_ && $row !~ /\b\Q$_\E\b/ } split /,/, $parameters // '';
	is("@missing", '', "and all parameters of ddb.$name");
}
foreach my $name ($reference =~ /^\| `ddb\.(\w+)`/mg)
{
	is($node->safe_psql('postgres', "SELECT count(*) > 0 FROM pg_proc WHERE pronamespace = 'ddb'::regnamespace AND proname = '$name'"),
		't', "ddb.$name of the reference exists");
}

# The table of errors is the one that the code has.
my $errors = PostgreSQL::Test::Utils::slurp_file("$FindBin::Bin/../src/base/errors.h");
my @numbers = $errors =~ /^\tDDB_\w+ = (\d+),/mg;
is(join(' ', $readme =~ /^\| (YD\d{3}) \|/mg), join(' ', map { sprintf 'YD%03d', $_ } @numbers), 'the README lists every SQLSTATE');

$node->stop;
done_testing();
