/** A program that prints numbered lines, and a reader of its output over connections that break. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ApiClient } from '../support/api-client.ts';
import type { EventStream } from '../support/event-stream.ts';

export const LINES = 25;

/** Prints a chunk of numbered lines for each line it reads. */
export const PRINTER = `stty -echo; echo ready; i=0
while read go; do
  n=$((i + ${LINES}))
  while [ $i -lt $n ]; do i=$((i+1)); echo "line $i ünïçødé 漢字 🦀"; done
done`;

/** Between two attempts while the machine is offline: without a pause, they would keep this one busy. */
const TRY_EVERY_MS = 250;

/** Types a line exactly once, however many attempts it takes to confirm that. */
export async function typeOnce(api: ApiClient, id: string, key: string): Promise<void> {
  for (;;) {
    const { status } = await api.type(id, '\n', { 'Idempotency-Key': key });
    if (status === 200) return;
    expect([503, 504, 500]).toContain(status);
    await sleep(TRY_EVERY_MS);
  }
}

export const line = (number: number) => `line ${number} ünïçødé 漢字 🦀\r\n`;

/** Reads the output of one session, over as many connections as needed. */
export class Reader {
  readonly id: string;
  text = '';
  readonly #api: ApiClient;
  readonly #since: number;
  #lastId: string | undefined;

  private constructor(api: ApiClient, id: string, since: number) {
    this.#api = api;
    this.id = id;
    this.#since = since;
  }

  static async start(api: ApiClient): Promise<Reader> {
    const { id } = await api.create({ args: ['-c', PRINTER] });
    await api.waitFor(id, { text: 'ready' });
    return new Reader(api, id, (await api.snapshot(id)).offset);
  }

  async reconnect(): Promise<EventStream> {
    const headers = this.#lastId === undefined ? undefined : { 'Last-Event-ID': this.#lastId };
    for (;;) {
      const opened = await this.#api.tryStream(this.id, `?since=${this.#since}`, headers);
      if (typeof opened !== 'number') return opened;
      // 429: streams that were cut keep their places until that is detected, and a token has a limited number.
      expect([503, 504, 500, 429]).toContain(opened);
      await sleep(TRY_EVERY_MS);
    }
  }

  async readUntil(stream: EventStream, number: number): Promise<void> {
    while (!this.text.includes(line(number))) {
      const event = await stream.next();
      if (event === undefined) throw new Error(`the stream ended before line ${number}`);
      expect(event.name).toBe('data');
      this.text += event.data.data;
      this.#lastId = event.id;
    }
  }
}
