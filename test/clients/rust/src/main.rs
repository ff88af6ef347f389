//! Clients written in Rust that are tested against a running gateway, which test/clients/rust.test.ts starts. Each test that
//! ends is a line of JSON.

mod async_openai_chat;
mod async_openai_responses;
mod genai_adapters;
mod harness;
mod recorded;
#[cfg(feature = "full")]
mod rig_providers;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    async_openai_chat::run().await;
    async_openai_responses::run().await;
    genai_adapters::run().await;
    #[cfg(feature = "full")]
    rig_providers::run().await;
}
