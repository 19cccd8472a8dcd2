/**
 * One relay per test file, started when it is first needed, with a new workspace for each call. Starting a relay is
 * most of what a short test of it would cost.
 */
import { afterAll } from 'vitest';
import { TestRelay } from './test-relay.ts';

export interface SharedRelays {
  /** Like `TestRelay.onWorkerd()`. */
  onWorkerd(): Promise<TestRelay>;
  /** Like `TestRelay.start()`: its objects can be made to hibernate. */
  start(): Promise<TestRelay>;
}

/** Called once at the top of a file; the relays stop with it. */
export function sharedRelays(): SharedRelays {
  let onWorkerd: Promise<TestRelay> | undefined;
  let onMiniflare: Promise<TestRelay> | undefined;
  afterAll(async () => {
    for (const relay of [await onWorkerd, await onMiniflare]) await relay?.[Symbol.asyncDispose]();
  });
  return {
    async onWorkerd() {
      onWorkerd ??= TestRelay.onWorkerd();
      return (await onWorkerd).another();
    },
    async start() {
      onMiniflare ??= TestRelay.start();
      return (await onMiniflare).another();
    },
  };
}
