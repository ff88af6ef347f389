//! What went between the gateway and the simulated vendors.

use serde_json::Value;

use crate::harness::{Checked, Subject, check, environment, told};

/// What opens a signature in the answer of a vendor.
const FIELDS: [&str; 4] =
    ["\"signature\":", "\"thoughtSignature\":", "\"thought_signature\":", "\"encrypted_content\":"];

/// Whether what the vendor signed in each answer is in every later request of the same conversation, each request was made
/// once, and at least one answer was signed if the vendor signs.
pub async fn check_signatures(tag: &str, subject: Subject) -> Checked {
    let url = environment("RECORDER_URL") + "/recorded";
    let request = reqwest::Client::new().get(url).query(&[("tag", tag)]);
    let read: Value = request.send().await.map_err(told)?.json().await.map_err(told)?;
    let exchanges = read.as_array().map(Vec::as_slice).unwrap_or_default();
    check(exchanges.len() == 4, || format!("{} exchanges were recorded for {tag}", exchanges.len()))?;
    let mut seen = 0;
    for (at, exchange) in exchanges.iter().enumerate().take(exchanges.len() - 1) {
        for signature in signatures_in(exchange["answer"].as_str().unwrap_or_default()) {
            seen += 1;
            for later in &exchanges[at + 1..] {
                let returned = later["request"].as_str().unwrap_or_default().contains(signature);
                check(returned, || {
                    format!("a signature of answer {at} is not in a later request: {signature}")
                })?;
            }
        }
    }
    check(seen > 0 || !subject.signs, || format!("nothing was signed in {} exchanges", exchanges.len()))
}

fn signatures_in(answer: &str) -> impl Iterator<Item = &str> {
    FIELDS.iter().flat_map(move |field| answer.split(field).skip(1)).filter_map(|rest| {
        let value = rest.trim_start().strip_prefix('"')?;
        value.split('"').next().filter(|signature| !signature.is_empty())
    })
}
