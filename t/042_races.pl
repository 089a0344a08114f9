# Races that no isolation spec can time.  Rows that move from page to page
# while they are looked for: an item that is always there must never be
# missed.  Keys that come and go under puts, deletes and SQL's own statements:
# no call fails, no key is there twice.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('races');
my $folder = PostgreSQL::Test::Utils::tempdir();
my $seconds = $ENV{DDB_RACE_SECONDS} // 8;
$node->safe_psql('postgres', 'CREATE EXTENSION amcheck; CREATE TABLE missed (what text)');

sub race
{
	my ($name, %scripts) = @_;
	my @files;
	foreach my $weight (sort keys %scripts)
	{
		my $file = "$folder/$name" . scalar(@files) . '.sql';
		PostgreSQL::Test::Utils::append_to_file($file, $scripts{$weight});
		push @files, '-f', $file . '@' . int($weight);
	}
	$node->command_like([ 'pgbench', '-n', '-c', 8, '-j', 2, '-T', $seconds, @files, $node->connstr('postgres') ],
		qr{processed: [1-9]}, "$name: no call fails");
}

$node->safe_psql('postgres', q{
	SELECT ddb.create_table('moving', 'PK', 'SK');
	INSERT INTO moving SELECT 'p', i::text, jsonb_build_object('n', 0, 'f', repeat('x', 300)) FROM generate_series(1, 20) i;
});
race('moving',
	3 => q{\set s random(1, 20)
\set l random(1, 3000)
SELECT ddb.put_item('moving', json_build_object('PK', 'p', 'SK', :s::text, 'n', 1, 'f', repeat('y', :l)));
},
	4 => q{\set s random(1, 20)
INSERT INTO missed SELECT 'update' WHERE ddb.try_update_item('moving', 'p', :s::text, update => 'SET n = n + :o',
	condition => 'attribute_exists(PK)', attr_values => '{":o": 1}') IS NULL;
INSERT INTO missed SELECT 'get' WHERE ddb.get_item('moving', 'p', :s::text) IS NULL;
INSERT INTO missed SELECT 'query' WHERE (SELECT count(*) FROM ddb.collection('moving', 'p')) <> 20;
},
	1 => q{\set s random(1, 20)
UPDATE moving SET item = item || '{"u": 1}' WHERE pk = 'p' AND sk = :s::text;
});
is($node->safe_psql('postgres', 'SELECT what, count(*) FROM missed GROUP BY what'), '', 'moving: no item is missed');
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT sk) FROM moving'), '20|20', 'moving: every item is there once');
is($node->safe_psql('postgres', q{SELECT bt_index_check('moving_key', true)}), '', 'moving: the index is well');

$node->safe_psql('postgres', q{SELECT ddb.create_table('coming', 'PK', 'SK')});
race('coming',
	1 => q{\set s random(1, 5)
SELECT ddb.put_item('coming', json_build_object('PK', 'p', 'SK', :s::text));
},
	1.1 => q{\set s random(1, 5)
SELECT ddb.delete_item('coming', 'p', :s::text);
},
	1.2 => q{\set s random(1, 5)
INSERT INTO coming VALUES ('p', :s::text, '{}') ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
},
	1.3 => q{\set s random(1, 5)
DELETE FROM coming WHERE pk = 'p' AND sk = :s::text;
},
	1.4 => q{\set s random(1, 5)
SELECT ddb.try_put_item('coming', json_build_object('PK', 'p', 'SK', :s::text), condition => 'attribute_not_exists(PK)');
},
	1.5 => q{\set s random(1, 5)
BEGIN;
SELECT ddb.put_item('coming', json_build_object('PK', 'p', 'SK', :s::text));
SELECT ddb.delete_item('coming', 'p', :s::text);
ROLLBACK;
});
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT sk) FROM coming'), '0', 'coming: no key twice');
is($node->safe_psql('postgres', q{SELECT bt_index_check('coming_key', true)}), '', 'coming: the index is well');

$node->stop;
done_testing();
