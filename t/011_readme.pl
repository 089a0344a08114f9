# Every SQL snippet of the README runs, in the README's order.  Left out are
# those with a parameter or an ellipsis, which a reader fills in.
use strict;
use warnings;
use File::Spec;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('readme');
my $readme = PostgreSQL::Test::Utils::slurp_file("$FindBin::Bin/../README.md");
my $folder = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());

# What the snippets take for granted.
my $prelude = q{
	DROP EXTENSION ddb CASCADE;
	CREATE ROLE app;
	CREATE TABLE invoices (order_id text, amount numeric);
	CREATE TABLE customers (id text, name text, city text);
	INSERT INTO customers VALUES ('c1', 'Cleo', NULL);
	CREATE TABLE staging (doc jsonb);
	INSERT INTO staging VALUES ('{"PK": "STAGED", "SK": "1", "a": 1}');
};
# And before a particular one.
my @before = (
	[ qr/^SELECT ddb.create_table\('shop'/ => 'DROP TABLE IF EXISTS shop' ],
	[ qr/'PRODUCT#p17', 'STOCK'/ => q{SELECT ddb.put_item('shop', '{"PK": "PRODUCT#p17", "SK": "STOCK", "qty": 9, "version": 7}')} ],
	[ qr/'ORDER#o1002', 'META', condition/ => q{SELECT ddb.put_item('shop', '{"PK": "ORDER#o1002", "SK": "META", "status": "NEW"}')} ],
	[ qr/NULL::shop/ => q{DELETE FROM shop WHERE pk = 'STAGED'} ],
	[ qr/FROM customers/ => q{DELETE FROM shop WHERE pk = 'CUSTOMER#c1'} ]);

$node->safe_psql('postgres', $prelude);
my $ran = 0;
foreach my $snippet ($readme =~ /^```sql\n(.*?)^```/msg)
{
	next if $snippet =~ /…/;
	$snippet =~ s{'/tmp/}{'$folder/}g;
	# The README shows loading before exporting; a file must exist to be loaded.
	$snippet = "COPY shop TO '$folder/shop.copy'; TRUNCATE shop; $snippet" if $snippet =~ /^COPY shop FROM/;
	$snippet = join("\n", grep { !/\$1/ } split /\n/, $snippet) if $snippet =~ /^SELECT.*\$1.*;$/m;
	foreach my $rule (@before)
	{
		$snippet = "$rule->[1];\n$snippet" if $snippet =~ $rule->[0];
	}
	$snippet .= $snippet =~ /TYPE jsonb/
	  ? "DROP TABLE shop; SELECT ddb.create_table('shop', partition_key => 'PK', sort_key => 'SK');"
	  : 'ALTER TABLE shop SET ACCESS METHOD ddb;'
	  if $snippet =~ /SET ACCESS METHOD heap/;
	my ($status, $out, $error) = $node->psql('postgres', $snippet, on_error_stop => 1);
	is($error =~ s/^.*NOTICE:.*\n?//mgr, '', (split /\n/, $snippet)[-1]);
	$ran++;
}
cmp_ok($ran, '>', 30, 'the snippets were found');
$node->stop;
done_testing();
