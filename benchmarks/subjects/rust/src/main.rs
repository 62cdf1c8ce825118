//! Checks what rskafka reads, as strict_kafka_python.py does; for `wireproof judge --vary`.
//! rskafka has no groups and no transactions.

use std::{collections::BTreeMap, env, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use rskafka::{
    client::{
        partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling},
        ClientBuilder,
    },
    record::{Record, RecordAndOffset},
};
use tokio::time::timeout;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const WAIT: Duration = Duration::from_secs(20);
const WAIT_MS: i32 = 20_000;

/// Returns what one producer writes; without a name no headers.
fn records(name: &str, now: DateTime<Utc>) -> Vec<Record> {
    let one = |at: usize| Record {
        key: (at % 3 != 0).then(|| format!("key-{at}").into_bytes()),
        value: (at != 5).then(|| format!("{name} {at}").repeat(at).into_bytes()),
        headers: (0..if name.is_empty() { 0 } else { at % 3 })
            .map(|number| (format!("h-{number}"), "ü".into()))
            .collect::<BTreeMap<_, _>>(),
        timestamp: now,
    };
    (0..6).map(one).collect()
}

/// Reads as many records, and compares all but their times.
async fn read(partition: &PartitionClient, expected: &[Record], now: DateTime<Utc>) -> Outcome<i64> {
    let mut found: Vec<RecordAndOffset> = Vec::new();
    while found.len() < expected.len() {
        let next = found.last().map_or(0, |each| each.offset + 1);
        let (more, end) = partition.fetch_records(next, 1..1_000_000, 500).await?;
        assert!(end >= next, "the end {end} is before {next}");
        found.extend(more);
    }
    assert!(found.windows(2).all(|two| two[0].offset < two[1].offset), "offsets {found:?}");
    for (each, written) in found.iter().zip(expected) {
        let (read, time) = (&each.record, each.record.timestamp);
        let (right, other) = (&written.value, &read.value);
        assert_eq!((&read.key, other, &read.headers), (&written.key, right, &written.headers));
        assert!(time.timestamp() <= 0 || (time - now).abs() < TimeDelta::days(1), "time {time}");
    }
    assert_eq!(found.len(), expected.len());
    Ok(found[found.len() - 1].offset)
}

async fn run() -> Outcome<()> {
    let topic = format!("strict-{}", env::var("WIREPROOF_RUN").unwrap_or_default());
    let now = Utc::now();
    let client = ClientBuilder::new(vec![env::var("WIREPROOF_BOOTSTRAP")?]).client_id("strict").build().await?;
    let controller = client.controller_client()?;
    controller.create_topic(&topic, 2, 1, WAIT_MS).await?;
    let first = client.partition_client(&topic, 0, UnknownTopicHandling::Retry).await?;
    let mut expected = Vec::new();
    for (name, compression) in [
        ("", Compression::NoCompression),
        ("gzip", Compression::Gzip),
        ("snappy", Compression::Snappy),
        ("lz4", Compression::Lz4),
        ("zstd", Compression::Zstd),
    ] {
        let sent = records(name, now);
        let offsets = first.produce(sent.clone(), compression).await?;
        let begin = expected.len() as i64;
        assert_eq!(offsets, (begin..begin + 6).collect::<Vec<_>>());
        expected.extend(sent);
    }
    let last = read(&first, &expected, now).await?;
    assert_eq!(first.get_offset(OffsetAt::Earliest).await?, 0);
    assert!(first.get_offset(OffsetAt::Latest).await? > last);
    let second = client.partition_client(&topic, 1, UnknownTopicHandling::Retry).await?;
    assert_eq!(second.get_offset(OffsetAt::Latest).await?, 0);
    let topics = client.list_topics().await?;
    let mine = topics.iter().find(|each| each.name == topic).expect("the topic");
    assert_eq!(mine.partitions.iter().copied().collect::<Vec<_>>(), [0, 1]);
    first.delete_records(3, WAIT_MS).await?;
    assert_eq!(first.get_offset(OffsetAt::Earliest).await?, 3);
    controller.delete_topic(&topic, WAIT_MS).await?;
    println!("{} records", expected.len());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    timeout(3 * WAIT, run()).await?
}
