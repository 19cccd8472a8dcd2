/**
 * One life of an agent process in the keeper's model: the real connection to the keeper and real terminals. What it
 * sees is compared at once with what the programs did.
 */
import { expect } from 'vitest';
import type { KeeperHeader } from '../../../vm-agent/keeper/wire.ts';
import { type Found, type FoundSession, KeeperLink } from '../../../vm-agent/kept/keeper-link.ts';
import type { SpawnPty, SpawnSpec } from '../../../vm-agent/pty/pty.ts';
import { Terminal } from '../../../vm-agent/terminal/terminal.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { type ModelPty, outputAt } from './model-pty.ts';

export const SPEC: SpawnSpec = {
  command: '/bin/sh',
  args: [],
  cwd: '/',
  env: {},
  size: { cols: 80, rows: 24 },
};

/** Small, so that a short story prints more. */
export const HISTORY_BYTES = 64;

export interface ModelTerminal {
  readonly terminal: Terminal;
  /** How often the exit was told. */
  exits: number;
  isPaused: boolean;
}

export class ModelAgent {
  readonly link: KeeperLink;
  readonly terminals = new Map<number, ModelTerminal>();
  readonly #clock: FakeClock;
  readonly #ptyOf: (handle: number) => ModelPty | undefined;
  found: Found | undefined;
  isReady = false;

  constructor(
    clock: FakeClock,
    send: (header: KeeperHeader, payload: Uint8Array) => void,
    ptyOf: (handle: number) => ModelPty | undefined,
  ) {
    this.#clock = clock;
    this.#ptyOf = ptyOf;
    this.link = new KeeperLink({ send, flushed: async () => {}, stop: () => {}, leave: () => {} });
    void this.link.found.then((found) => {
      this.found = found;
    });
  }

  spawn(handle: number): void {
    const session = { id: `session ${handle}`, handle, historyBytes: HISTORY_BYTES };
    this.#open(handle, SPEC, (spec, events) => this.link.spawn(spec, events, session));
  }

  /** Takes over what was found, and waits for its output. */
  adopt(): void {
    for (const session of this.found?.sessions ?? [])
      this.#open(session.handle, session.spec, (_, events) => this.link.adopt(session, events), session);
    void this.link.catchUp().then(() => {
      this.isReady = true;
    });
  }

  #open(handle: number, spec: SpawnSpec, spawn: SpawnPty, adopted?: FoundSession): void {
    const terminal = new Terminal(spec, { spawn, clock: this.#clock, historyBytes: 1000, adopted });
    const seen: ModelTerminal = { terminal, exits: 0, isPaused: false };
    this.terminals.set(handle, seen);
    let end = adopted?.start ?? 0;
    terminal.listen({
      printed: (offset, bytes) => {
        const pty = this.#ptyOf(handle) as ModelPty;
        // Checked for every frame of every story: `expect` is called only to report a failure.
        if (offset !== end || seen.exits > 0 || seen.isPaused)
          expect.fail(`output at ${offset}, after ${end}`);
        end += bytes.length;
        if (Buffer.compare(bytes, outputAt(offset, bytes.length)) !== 0)
          expect.fail(`what was seen at ${offset} was not printed there`);
        // Output for two sizes never comes in one piece.
        const sizes = [terminal.sizes.current, pty.sizeAt(offset), pty.sizeAt(end - 1)];
        if (new Set(sizes.map((size) => size?.cols)).size > 1) expect.fail(`another size at ${offset}`);
      },
      resized: (offset) => {
        if (offset !== end || seen.exits > 0) expect.fail(`a size at ${offset}, after ${end}`);
      },
      exited: (exit) => {
        const pty = this.#ptyOf(handle) as ModelPty;
        expect(exit).toEqual(pty.exit);
        expect(end).toBe(pty.printed);
        expect(++seen.exits).toBe(1);
      },
    });
  }
}
