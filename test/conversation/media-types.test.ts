import { expect, test } from 'vitest';
import { findMediaKind, normalizeType } from '../../src/conversation/media-types.ts';

test.each([
  ['application/ogg', 'audio', 'audio/ogg'],
  ['Application/OGG; codecs=opus', 'audio', 'audio/ogg'],
  ['application/mp4', 'video', 'video/mp4'],
  ['IMAGE/JPG', 'image', 'image/jpeg'],
  ['application/pdf', 'document', 'application/pdf'],
  ['application/octet-stream', 'document', undefined],
  ['', 'document', ''],
])('%j', (type, kind, usual) => {
  expect(findMediaKind(type)).toBe(kind);
  expect(normalizeType(type)).toBe(usual);
});
