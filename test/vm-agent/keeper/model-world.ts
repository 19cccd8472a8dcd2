/**
 * A real keeper with programs of the model, and one agent at a time, over byte queues that deliver when told. Clients
 * keep what they type until it is acknowledged, and send it again to every new agent.
 */
import { expect } from 'vitest';
import { Keeper, type Start } from '../../../vm-agent/keeper/keeper.ts';
import { AGENT_AWAY_MS, OUTPUT_FRAME_MAX_BYTES } from '../../../vm-agent/keeper/limits.ts';
import type { SavedKeeper } from '../../../vm-agent/keeper/saved-state.ts';
import { type KeeperFrame, type KeeperHeader, readNamed } from '../../../vm-agent/keeper/wire.ts';
import type { AdoptPty } from '../../../vm-agent/pty/pty.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ByteQueue } from './byte-queue.ts';
import { HISTORY_BYTES, ModelAgent, type ModelTerminal } from './model-agent.ts';
import { INSTANCES, inputAt, ModelPty } from './model-pty.ts';
import { passedOn } from './scripted-agent.ts';

export const HANDLES = [1, 2] as const;

/** The keeper's socket is full with so much, as a real one is with more. */
const UNSENT_MAX_BYTES = 3000;

/** … and a frame of output goes beyond it, and messages that do not wait. */
const DOWN_MAX_BYTES = UNSENT_MAX_BYTES + OUTPUT_FRAME_MAX_BYTES + 10_000;

interface ModelClient {
  readonly handle: number;
  readonly instance: string;
  typed: number;
  /** As far as it knows. */
  taken: number;
}

interface Served {
  readonly agent: ModelAgent;
  readonly up: ByteQueue;
  readonly down: ByteQueue;
  readonly start: Start;
  hasAdopted: boolean;
}

export class KeeperWorld {
  readonly clock = new FakeClock();
  readonly ptys = new Map<number, ModelPty>();
  readonly clients: ModelClient[] = HANDLES.flatMap((handle) =>
    INSTANCES.map((instance) => ({ handle, instance, typed: 0, taken: 0 })),
  );
  /** The highest offset that an agent said the next one can do without. */
  readonly retained = new Map<number, number>();
  #keeper: Keeper;
  /** Cuts the timers of the keeper. */
  #endKeeper = () => {};
  #served: Served | null = null;
  #spawning = 0;
  /** How far the keeper may read while an agent is attached. */
  readonly #mayRead = new Map<number, number>();
  /** The last blob that has reached the keeper. */
  readonly #left = new Map<number, string>();
  #blobs = 0;
  #wasAwayForLong = false;
  lives = 0;

  constructor() {
    this.#keeper = this.#openKeeper();
  }

  /** `state`: what the keeper before it has saved. */
  #openKeeper(state?: SavedKeeper): Keeper {
    let isRunning = true;
    this.#endKeeper = () => {
      isRunning = false;
    };
    const adopt: AdoptPty = ({ pid }, events) => (this.ptys.get(pid) as ModelPty).continue(events);
    return new Keeper({
      spawn: (spec, events) => {
        const pty = new ModelPty(spec, events, this.#spawning);
        this.ptys.set(this.#spawning, pty);
        return pty;
      },
      clock: {
        now: () => this.clock.now(),
        after: (ms, task) => this.clock.after(ms, () => isRunning && task()),
      },
      epoch: state?.epoch ?? 'epoch',
      pid: 2,
      ready: () => {},
      finished: () => {},
      ...(state === undefined ? {} : { earlier: { programs: state.programs, adopt } }),
    });
  }

  /** Another keeper replaces this one, after the agent was ended. */
  upgrade(more: number): void {
    this.kill(more);
    const state = passedOn(this.#keeper.save());
    this.#endKeeper();
    this.#keeper = this.#openKeeper(state);
  }

  get agent(): ModelAgent | undefined {
    return this.#served?.agent;
  }

  terminal(handle: number): ModelTerminal | undefined {
    return this.agent?.terminals.get(handle);
  }

  /** A new agent, if there is none. */
  attach(start: Start): void {
    if (this.#served !== null) return;
    this.lives++;
    const up = new ByteQueue((frame) => {
      this.#note(frame);
      this.#keeper.received(frame);
    });
    const down = new ByteQueue((frame) => agent.link.received(frame));
    const agent = new ModelAgent(
      this.clock,
      (header, payload) => up.send(header, payload),
      (handle) => this.ptys.get(handle),
    );
    this.#served = { agent, up, down, start, hasAdopted: false };
    const socket = {
      get isWritable() {
        return down.length < UNSENT_MAX_BYTES;
      },
      send: (header: KeeperHeader, payload: Uint8Array) => down.send(header, payload),
      sendLater: (header: KeeperHeader, payload: Uint8Array) => down.send(header, payload),
    };
    this.#keeper.attach(socket, start);
    for (const [handle, pty] of this.ptys) this.#mayRead.set(handle, pty.read);
    this.#expectedLedgers = this.#ledgers();
    this.#expectedBlobs = new Map(this.#left);
  }

  /** `more`: how much of what it had sent still arrives. */
  kill(more: number): void {
    if (this.#served === null) return;
    const { up, down } = this.#served;
    up.deliver(more);
    up.cut();
    down.cut();
    this.#served = null;
    this.#keeper.detach();
  }

  deliverUp(count: number): void {
    this.#served?.up.deliver(count);
  }

  async deliverDown(count: number): Promise<void> {
    const served = this.#served;
    if (served === null || served.down.length === 0) return;
    served.down.deliver(count);
    if (served.down.length === 0) this.#keeper.drained();
    await Promise.resolve();
    if (served.agent.found === undefined || served.hasAdopted) return;
    served.hasAdopted = true;
    this.#expectFound(served);
    served.agent.adopt();
    for (const client of this.clients) this.resend(client);
  }

  spawn(handle: number): void {
    if (!this.#served?.hasAdopted || this.terminal(handle) !== undefined) return;
    this.agent?.spawn(handle);
    for (const client of this.clients) if (client.handle === handle) this.resend(client);
  }

  type(client: ModelClient, count: number): void {
    client.typed += count;
    this.#send(client, client.typed - count);
  }

  /** The client has connected again: it sends again what was not acknowledged. */
  resend(client: ModelClient): void {
    const input = this.terminal(client.handle)?.terminal.input;
    if (input === undefined) return;
    client.taken = input.taken(client.instance, client.taken);
    this.#send(client, client.taken);
  }

  retain(handle: number, back: number): void {
    const end = this.terminal(handle)?.terminal.ring.end;
    if (end === undefined) return;
    const offset = Math.max(0, end - back);
    this.agent?.link.retain(handle, offset);
    this.retained.set(handle, Math.max(offset, this.retained.get(handle) ?? 0));
  }

  leave(handle: number): void {
    if (this.terminal(handle) !== undefined)
      this.agent?.link.putBlob(handle, 'metadata', Buffer.from(`blob ${++this.#blobs}`));
  }

  /** No more is read or on its way than was asked for, but for the end of one read. */
  expectBounds(): void {
    if (this.#served === null) return;
    const { down } = this.#served;
    if (down.length > DOWN_MAX_BYTES) expect.fail(`${down.length} bytes wait for the agent`);
    for (const [handle, pty] of this.ptys)
      if (pty.read >= (this.#mayRead.get(handle) ?? 0) + OUTPUT_FRAME_MAX_BYTES)
        expect.fail(`${pty.read} bytes were read`);
  }

  isAwayForLong(): void {
    if (this.#served !== null) return;
    this.clock.advance(AGENT_AWAY_MS);
    this.#wasAwayForLong = true;
    this.ptysRead();
  }

  ptysRead(): void {
    for (const pty of this.ptys.values()) pty.deliver();
  }

  /** Everybody reads, until nothing is on its way. */
  async heal(): Promise<void> {
    this.attach('all');
    for (const pty of this.ptys.values()) {
      pty.isReading = true;
      pty.readsInput();
    }
    for (let quiet = 0; quiet < 2; quiet++) {
      for (const terminal of this.agent?.terminals.values() ?? []) {
        terminal.isPaused = false;
        terminal.terminal.pty.resume();
      }
      await new Promise(setImmediate);
      const { up, down } = this.#served as Served;
      if (up.length + down.length > 0) quiet = 0;
      this.deliverUp(up.length);
      await this.deliverDown(down.length);
      this.ptysRead();
    }
  }

  /** What an agent must find, as it was when it was attached. */
  #expectedLedgers = '';
  #expectedBlobs = new Map<number, string>();

  #send({ handle, instance, typed, ...client }: ModelClient, offset: number): void {
    const seen = this.terminal(handle);
    if (seen === undefined || seen.exits > 0 || offset === typed) return;
    const { input } = seen.terminal;
    const { agent } = this;
    const fresh = input.accept(instance, offset, inputAt(instance, offset, typed - offset));
    input.write(instance, fresh, (taken) => {
      const known = this.clients.find((one) => one.handle === handle && one.instance === instance);
      if (known === undefined || agent !== this.agent) return;
      known.taken = Math.max(client.taken, known.taken, taken);
    });
  }

  /** The keeper gets this frame now. */
  #note({ kind, handle, offset, payload }: KeeperFrame): void {
    if (kind === 'credit') this.#mayRead.set(handle, Math.max(offset, this.#mayRead.get(handle) ?? 0));
    if (kind === 'blob' && this.ptys.has(handle)) this.#left.set(handle, readNamed(payload).bytes.toString());
    if (kind !== 'control') return;
    const message = JSON.parse(payload.toString());
    if (message.type === 'spawn') this.#spawning = message.handle;
  }

  #ledgers(): string {
    const entries = [...this.ptys].flatMap(([handle, pty]) =>
      [...pty.written].map(([instance, accepted]) =>
        [handle, instance, accepted, pty.takenOf.get(instance) ?? 0].join(' '),
      ),
    );
    return entries.sort().join('\n');
  }

  #expectFound({ agent, start: how }: Served): void {
    const sessions = agent.found?.sessions ?? [];
    expect(sessions.map(({ handle }) => handle).sort()).toEqual([...this.ptys.keys()].sort());
    const entries = sessions.flatMap(({ handle, ledger }) =>
      ledger.map(({ instance, accepted, taken }) => [handle, instance, accepted, taken].join(' ')),
    );
    expect(entries.sort().join('\n')).toBe(this.#expectedLedgers);
    for (const { handle, start, end, spec, blobs } of sessions) {
      expect(blobs.get('metadata')?.toString()).toBe(this.#expectedBlobs.get(handle));
      const pty = this.ptys.get(handle) as ModelPty;
      expect(spec.size).toEqual(pty.sizeAt(start));
      if (how === 'without replay') expect(start).toBe(end);
      const needed = this.#wasAwayForLong ? Number.POSITIVE_INFINITY : (this.retained.get(handle) ?? 0);
      if (how !== 'without replay')
        expect(start).toBeLessThanOrEqual(Math.max(0, Math.min(needed, end - HISTORY_BYTES)));
    }
  }
}
