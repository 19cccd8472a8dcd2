/**
 * Owns the programs of one machine, and serves one agent process at a time. An agent that connects is told of every
 * program and everything that was kept of it; then it is sent what they print.
 *
 * The agent decides everything else: who may type, what is shown to whom, when a session ends. If it dies, the programs
 * do not notice, and the next one continues where it was.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { AdoptPty, SpawnOwned } from '../pty/pty.ts';
import { terminate } from '../pty/terminate.ts';
import { KeptProgram } from './kept-program.ts';
import {
  AGENT_AWAY_MS,
  HISTORY_MAX_BYTES,
  PROGRAMS_MAX,
  REPLACED_WITHIN_MS,
  RETAINED_ALL_MAX_BYTES,
} from './limits.ts';
import type { ToAgent, ToKeeper } from './messages.ts';
import type { ProgramEvents } from './program-options.ts';
import type { SavedKeeper } from './saved-state.ts';
import { KEEPER_VERSION, type KeeperCapability } from './versions.ts';
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

/** What the next agent gets: everything, hardly any blobs, or only what is printed from then on. */
export type Start = 'all' | 'without blobs' | 'without replay';

interface KeeperOptions {
  readonly spawn: SpawnOwned;
  readonly clock: Clock;
  readonly epoch: string;
  /** The programs of the keeper that this one replaces, and how to continue with them. */
  readonly earlier?: { readonly programs: SavedKeeper['programs']; readonly adopt: AdoptPty };
  readonly pid: number;
  readonly capabilities?: readonly KeeperCapability[];
  /** The agent does its work now. */
  readonly ready: () => void;
  /** The agent has ended everything it had to end. */
  readonly finished: (code: number) => void;
}

/**
 * What even an agent gets whose predecessors ended early: what it is about, and which commands were typed, so that none
 * is typed again. Agents check both before they use them.
 */
const ALWAYS_TOLD: ReadonlySet<string> = new Set(['metadata', 'runs']);

const NOTHING = new Uint8Array(0);

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #programs = new Map<number, KeptProgram>();
  /** Their sessions were removed, and they are being ended. */
  readonly #forgotten = new Set<KeptProgram>();
  #socket: AgentSocket | null = null;
  /** Runs while no agent is ready. One that ends before it is ready was never here. */
  #away: Cancel | undefined;
  #isAwayForLong = false;
  #overdue: Cancel | undefined;
  #isOverdue = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    if (options.earlier !== undefined) this.#restore(options.earlier);
  }

  get programs(): readonly KeptProgram[] {
    return [...this.#programs.values()];
  }

  /** An agent has connected, in place of the one before. `trouble`: why agents before it ended early. */
  attach(socket: AgentSocket, start: Start = 'all', trouble: string | null = null): void {
    this.#socket = socket;
    const { epoch, pid, capabilities = [] } = this.#options;
    const sessions = this.#programs.size;
    this.#tell({ type: 'hello', version: KEEPER_VERSION, epoch, pid, sessions, trouble, capabilities });
    for (const program of this.#programs.values()) {
      const session = program.attach(start === 'without replay');
      const blobs = program.blobs.entries().filter(([name]) => start === 'all' || ALWAYS_TOLD.has(name));
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

  /** Everything that the next keeper needs. Throws if it could not continue with a program. */
  save(): SavedKeeper {
    const kept = this.programs.map((program) => ({ ...program.save(), isForgotten: false }));
    const forgotten = [...this.#forgotten].map((program) => ({ ...program.save(), isForgotten: true }));
    return { epoch: this.#options.epoch, programs: [...kept, ...forgotten] };
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
        this.#forget(program);
    }
  }

  #forget(program: KeptProgram): void {
    // One that waits would never be seen to end, and its terminal would stay open.
    program.release(() => this.#forgotten.delete(program));
    if (program.hasExited) return;
    this.#forgotten.add(program);
    void terminate(program, this.#options.clock);
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
      const start = spawn.bind(null, spec);
      const known = this.programs.find((program) => program.id === id);
      if (known === undefined && this.#programs.size >= PROGRAMS_MAX)
        throw new Refusal('session_limit', `This machine allows ${PROGRAMS_MAX} sessions; close one first.`);
      const program =
        known ??
        new KeptProgram({ handle, id, spec, historyBytes, start, clock, events: this.#eventsOf(handle) });
      this.#programs.set(program.handle, program);
      const { pid, bornAt } = program;
      this.#tell({ type: 'spawned', handle, pid, bornAt });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#tell({ type: 'refused', handle, code: error.code, message: error.message });
    }
  }

  #restore({ programs, adopt }: NonNullable<KeeperOptions['earlier']>): void {
    const { clock } = this.#options;
    for (const saved of programs) {
      const { handle, id, spec, historyBytes, isForgotten } = saved;
      const program = new KeptProgram({
        ...{ handle, id, spec, historyBytes, saved, clock, events: this.#eventsOf(handle) },
        start: (events) => adopt({ ...saved.pty, waiting: [] }, events),
      });
      if (isForgotten) this.#forget(program);
      else this.#programs.set(handle, program);
    }
    this.detach();
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
