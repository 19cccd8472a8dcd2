/**
 * Owns the programs of one machine, and serves one agent process at a time. An agent that connects is told of every
 * program and everything that was kept of it; then it is sent what they print.
 *
 * The agent decides everything else: who may type, what is shown to whom, when a session ends. If it dies, the programs
 * do not notice, and the next one continues where it was.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { SpawnPty } from '../pty/pty.ts';
import { terminate } from '../pty/terminate.ts';
import { KeptProgram } from './kept-program.ts';
import {
  AGENT_AWAY_MS,
  HISTORY_MAX_BYTES,
  PROGRAMS_MAX,
  REPLACED_WITHIN_MS,
  RETAINED_ALL_MAX_BYTES,
} from './limits.ts';
import { KEEPER_VERSION, type ToAgent, type ToKeeper } from './messages.ts';
import type { ProgramEvents } from './program-options.ts';
import { type KeeperFrame, type KeeperHeader, named, readNamed, WireError } from './wire.ts';

/** The socket of an agent. */
export interface AgentSocket {
  /** False while it has enough to send; `Keeper.drained` follows. */
  readonly isWritable: boolean;
  /** Sends one frame. The payload may be reused after the call. */
  send(header: KeeperHeader, payload: Uint8Array): void;
  /** The same for a short frame that nobody waits for: it may be sent with the next one. */
  sendLater(header: KeeperHeader, payload: Uint8Array): void;
}

/** What the next agent gets: everything, no blobs, or only what is printed from then on. */
export type Start = 'all' | 'without blobs' | 'without replay';

interface KeeperOptions {
  readonly spawn: SpawnPty;
  readonly clock: Clock;
  readonly epoch: string;
  readonly pid: number;
  /** The agent does its work now. */
  readonly ready: () => void;
  /** The agent has ended everything it had to end. */
  readonly finished: (code: number) => void;
}

const NOTHING = new Uint8Array(0);

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #programs = new Map<number, KeptProgram>();
  #socket: AgentSocket | null = null;
  /** Runs while no agent is ready. One that ends before it is ready was never here. */
  #away: Cancel | undefined;
  #isAwayForLong = false;
  #overdue: Cancel | undefined;
  #isOverdue = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get programs(): readonly KeptProgram[] {
    return [...this.#programs.values()];
  }

  /** An agent has connected, in place of the one before. `trouble`: why agents before it ended early. */
  attach(socket: AgentSocket, start: Start = 'all', trouble: string | null = null): void {
    this.#socket = socket;
    const { epoch, pid } = this.#options;
    const sessions = this.#programs.size;
    this.#tell({ type: 'hello', version: KEEPER_VERSION, epoch, pid, sessions, trouble });
    for (const program of this.#programs.values()) {
      const session = program.attach(start === 'without replay');
      const blobs = program.blobs.entries().filter(([name]) => start === 'all' || name === 'metadata');
      this.#tell({ type: 'session', blobs: blobs.length, ...session });
      for (const [name, bytes] of blobs)
        this.#send({ kind: 'blob', handle: program.handle }, named(name, bytes));
    }
    this.drained();
  }

  /** The agent is gone. */
  detach(): void {
    this.#socket = null;
    for (const program of this.#programs.values()) program.detach();
    this.#overdue ??= this.#options.clock.after(REPLACED_WITHIN_MS, () => {
      this.#isOverdue = true;
      this.drained();
    });
    this.#away ??= this.#options.clock.after(AGENT_AWAY_MS, () => {
      this.#isAwayForLong = true;
      this.#leaveAlone();
    });
    if (this.#isAwayForLong) this.#leaveAlone();
  }

  tell(message: Extract<ToAgent, { type: 'stop' | 'leave' | 'ping' }>): void {
    this.#tell(message);
  }

  /** The agent's socket takes more. */
  drained(): void {
    for (const program of this.#programs.values()) program.pump();
  }

  /** Throws a WireError for what no agent of ours would send. */
  received({ kind, handle, offset, payload }: KeeperFrame): void {
    if (kind === 'control') return this.#control(JSON.parse(payload.toString()));
    // Late frames for a session that was forgotten.
    const program = this.#programs.get(handle);
    if (program === undefined) return;
    if (kind === 'credit') return program.grant(offset);
    if (kind === 'answer') return program.answer(payload);
    const { name, bytes } = readNamed(payload);
    if (kind === 'input') return program.type(name, offset, bytes);
    if (kind === 'blob') return program.blobs.put(name, bytes);
    throw new WireError(`agents send no ${kind} frames`);
  }

  /** Ends every program and everything it started. */
  async endAll(): Promise<void> {
    await Promise.all(
      this.programs
        .filter(({ hasExited }) => !hasExited)
        .map((program) => terminate(program, this.#options.clock)),
    );
  }

  #control(message: ToKeeper): void {
    if (message.type === 'spawn') return this.#spawn(message);
    if (message.type === 'ready') return this.#ready();
    if (message.type === 'finished') return this.#options.finished(message.code);
    if (!('handle' in message)) return;
    const program = this.#programs.get(message.handle);
    if (program === undefined) return;
    switch (message.type) {
      case 'resize':
        return program.resize(message.size);
      case 'promise':
        return program.promise(message.instance, message.once);
      case 'retain':
        return program.retain(message.offset);
      case 'read_at_most':
        return program.readAtMost(message.bytes);
      case 'forget':
        this.#programs.delete(program.handle);
        // One that waits would never be seen to end, and its terminal would stay open.
        program.release();
        if (!program.hasExited) void terminate(program, this.#options.clock);
    }
  }

  #ready(): void {
    this.#overdue?.();
    this.#overdue = undefined;
    this.#isOverdue = false;
    this.#away?.();
    this.#away = undefined;
    this.#isAwayForLong = false;
    this.#options.ready();
  }

  #leaveAlone(): void {
    for (const program of this.#programs.values()) program.leaveAlone();
  }

  #spawn({ handle, id, spec, historyBytes }: Extract<ToKeeper, { type: 'spawn' }>): void {
    if (!Number.isInteger(historyBytes) || historyBytes > HISTORY_MAX_BYTES)
      throw new WireError(`a history of ${historyBytes} bytes`);
    try {
      const { clock, spawn } = this.#options;
      const known = this.programs.find((program) => program.id === id);
      if (known === undefined && this.#programs.size >= PROGRAMS_MAX)
        throw new Refusal('session_limit', `This machine allows ${PROGRAMS_MAX} sessions; close one first.`);
      const program =
        known ??
        new KeptProgram({ handle, id, spec, historyBytes, spawn, clock, events: this.#eventsOf(handle) });
      this.#programs.set(program.handle, program);
      const { pid, bornAt } = program;
      this.#tell({ type: 'spawned', handle, pid, bornAt });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#tell({ type: 'refused', handle, code: error.code, message: error.message });
    }
  }

  #eventsOf(handle: number): ProgramEvents {
    const keeper = this;
    return {
      get isWritable() {
        return keeper.#socket?.isWritable === true;
      },
      get isOverfull() {
        return keeper.#retainedBytes > RETAINED_ALL_MAX_BYTES;
      },
      get isOverdue() {
        return keeper.#isOverdue;
      },
      output: (offset, bytes, isAll) => this.#send({ kind: 'output', handle, offset, flag: isAll }, bytes),
      resized: (offset, size) => this.#tell({ type: 'resized', handle, offset, size }),
      // The echo of what was taken follows in a moment, and people wait for that.
      taken: (instance, count, isEarlier) =>
        this.#socket?.sendLater(
          { kind: 'taken', handle, offset: count, flag: isEarlier },
          named(instance, NOTHING),
        ),
      exited: (exit) => this.#tell({ type: 'exited', handle, exit }),
    };
  }

  get #retainedBytes(): number {
    return this.programs.reduce((sum, { retainedBytes }) => sum + retainedBytes, 0);
  }

  #tell(message: ToAgent): void {
    this.#send({ kind: 'control' }, Buffer.from(JSON.stringify(message)));
  }

  #send(header: KeeperHeader, payload: Uint8Array): void {
    this.#socket?.send(header, payload);
  }
}
