/** Cancels a body that is not wanted. A stream that has failed already rejects its cancellation, which is ignored. */
export function cancelBody(body: ReadableStream<Uint8Array> | Uint8Array): void {
  if (!(body instanceof Uint8Array)) body.cancel().catch(() => undefined);
}
