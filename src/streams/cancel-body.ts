/** Cancels a body that is not wanted. A stream that has failed already rejects its cancellation, which is ignored. */
export function cancelBody(
  body: Pick<ReadableStream<Uint8Array>, 'cancel'> | Uint8Array,
  reason?: unknown,
): void {
  if (!(body instanceof Uint8Array)) body.cancel(reason).catch(() => undefined);
}
