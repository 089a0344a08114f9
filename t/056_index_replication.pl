# Publisher and subscriber both with ddb and FOR ALL TABLES: what is applied
# is followed on the subscriber by its own indexes, and nothing of indexes,
# logs and cursors is sent.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my @nodes = map { ddb_node($_, 'wal_level = logical') } 'index_publisher', 'index_subscriber';
my ($publisher, $subscriber) = @nodes;
foreach my $node (@nodes)
{
	$node->safe_psql('postgres', q{
		SELECT ddb.create_table('t', partition_key => 'PK', sort_key => 'SK');
		SELECT ddb.add_index('t', 'by_kind', 'kind', 'at', sort_key_type => 'N', projection => 'INCLUDE', include => '{note}')});
}
$subscriber->safe_psql('postgres', q{SELECT ddb.add_index('t', 'by_owner', 'owner', shards => 2)});
$publisher->safe_psql('postgres', q{
	INSERT INTO t SELECT 'p' || i % 20, i::text, jsonb_build_object('kind', 'k' || i % 5, 'at', i, 'owner', 'o' || i % 3) FROM generate_series(1, 500) i;
	CREATE PUBLICATION p FOR ALL TABLES});
my $connection = quote($publisher->connstr . ' dbname=postgres');
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION $connection PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM t'), '500', 'the copy');
is(index_problems($subscriber, 't'), '', 'the copy is followed');

$publisher->safe_psql('postgres', $_) foreach
	q{SELECT count(ddb.update_item('t', pk, sk, update => 'SET kind = :k, note = :k', attr_values => '{":k": "moved"}')) FROM t WHERE pk = 'p3'},
	q{SELECT count(ddb.delete_item('t', pk, sk)) FROM t WHERE pk = 'p4'},
	q{INSERT INTO t SELECT 'q', i::text, jsonb_build_object('kind', 'q', 'at', i) FROM generate_series(1, 300) i},
	q{UPDATE t SET item = '{}' WHERE pk = 'p5'};
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT count(*), sum(hashtext(t::text)::bigint) FROM t'),
	$publisher->safe_psql('postgres', 'SELECT count(*), sum(hashtext(t::text)::bigint) FROM t'), 'the same rows');
is(index_problems($publisher, 't'), '', 'indexes of the publisher');
is(index_problems($subscriber, 't'), '', 'indexes of the subscriber');
is($subscriber->safe_psql('postgres', q{SELECT count(*) FROM t_by_kind WHERE ipk = 'moved'}), '25', 'what moved');
is($subscriber->safe_psql('postgres', q{SELECT worker LIKE 'pid %' FROM ddb.index_status WHERE index_name = 'by_owner'}), 't', 'the apply process wakes a worker');
is($subscriber->safe_psql('postgres', q{SELECT count(*) FROM ddb.secondary_index}), '2', 'each has its own definitions');
$publisher->safe_psql('postgres', 'TRUNCATE t');
$publisher->wait_for_catchup('s');
is(index_problems($_, 't'), '', 'TRUNCATE: ' . $_->name) foreach @nodes;
is($subscriber->safe_psql('postgres', q{SELECT count(*) FROM t_by_kind}), '0', 'nothing is left');

$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION s');
$_->stop foreach @nodes;
done_testing();
