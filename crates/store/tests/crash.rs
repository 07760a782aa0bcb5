//! What was answered is on disk: a writing process is killed in mid-stream, again and again.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serval_store::{NewTask, Store, TaskFilter};

const FOLDER: &str = "SERVAL_STORE_CRASH_FOLDER";

/// Runs only in the child process: writes until it is killed, and says each uid once answered.
#[test]
fn writer_child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let store = Store::open(folder.as_ref()).expect("the folder is free");
    let (sender, answers) = mpsc::channel();
    let mut out = std::io::stdout();
    loop {
        for _ in 0..16 {
            let sender = sender.clone();
            let new = NewTask {
                payload: Some(vec![b'x'; 300]),
                ..NewTask::of_kind("x")
            };
            store.write(
                move |tx| tx.enqueue(&new),
                move |task| drop(sender.send(task)),
            );
        }
        for _ in 0..16 {
            let task = answers
                .recv()
                .expect("a sender is kept")
                .expect("writing succeeds");
            writeln!(out, "uid {}", task.uid).expect("the parent reads");
        }
    }
}

#[test]
fn every_answered_task_survives_a_kill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut n_before = 0;
    for round in 1..=3u64 {
        let answered = kill_a_writer(folder.path(), 40 * round as usize);
        let store = Store::open(folder.path()).expect("the lock went with the process");
        let total = store.read_wait(|tx| tx.n_tasks()).expect("readable");
        let next = store.read_wait(|tx| tx.next_task_uid()).expect("readable");
        let highest = *answered.iter().max().expect("some were answered");
        assert!(
            total > u64::from(highest),
            "{total} tasks, but uid {highest} was answered"
        );
        assert_eq!(u64::from(next), total, "uids are dense");
        assert!(total > n_before);
        let uids: Vec<u32> = (0..next).collect();
        let kept = store
            .read_wait(move |tx| tx.runnable_tasks(&uids))
            .expect("readable");
        assert_eq!(kept.len() as u64, total);
        assert!(
            kept.iter()
                .all(|task| task.payload.as_ref().is_some_and(|text| text.len() == 300))
        );
        let filter = TaskFilter {
            limit: Some(1),
            ..TaskFilter::default()
        };
        let page = store
            .read_wait(move |tx| tx.tasks(&filter))
            .expect("readable");
        assert_eq!(page.from, Some(next - 1));
        n_before = total;
    }
}

/// Starts a writer, kills it after `n_answers` answers, and returns every uid it said.
fn kill_a_writer(folder: &std::path::Path, n_answers: usize) -> Vec<u32> {
    let mut child = Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", "writer_child", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the child starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut answered = Vec::new();
    while answered.len() < n_answers {
        answered.extend(uid_of(lines.next().expect("the child writes on")));
    }
    std::thread::sleep(Duration::from_millis(answered.len() as u64 % 7));
    child.kill().expect("the child runs");
    answered.extend(lines.filter_map(uid_of));
    child.wait().expect("the child ended");
    answered
}

fn uid_of(line: std::io::Result<String>) -> Option<u32> {
    line.ok()?.strip_prefix("uid ")?.parse().ok()
}
