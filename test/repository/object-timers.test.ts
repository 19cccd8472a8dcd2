/** How code of the relay limits time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles, ROOT } from './imports.ts';

/** What is part of the Worker. */
const IN_THE_WORKER = /^(worker|client|mcp|protocol)\//;

describe('a Durable Object', () => {
  it('[RL17] does not use AbortSignal.timeout, after which a pause may never end', () => {
    // Measured with workerd 1.20260730: 227 pushes with it, while clients connected and pauses began, and the object
    // accepted nothing until the platform reset it 30 s later. With a timer that is cleared: none in 3400 rounds.
    const users = productFiles()
      .filter((file) => IN_THE_WORKER.test(file))
      .filter((file) => /AbortSignal\.timeout\(/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(users).toEqual([]);
  });
});
