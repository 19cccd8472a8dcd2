/**
 * The agent's side of the connection to its keeper: starts programs there, and takes over those that are there already.
 */
import { type ErrorCode, Refusal } from '../../protocol/errors.ts';
import type { ProgramState, ToAgent, ToKeeper } from '../keeper/messages.ts';
import { KEEPER_VERSION, readCapabilities, versionTrouble } from '../keeper/versions.ts';
import { type KeeperFrame, type KeeperHeader, named, readNamed, WireError } from '../keeper/wire.ts';
import { checkDirectory, findCommand } from '../pty/launch-checks.ts';
import type { PtyEvents, SpawnPty } from '../pty/pty.ts';
import { KeptPty, type ProgramWire } from './kept-pty.ts';

/** A session of an earlier agent process, with what that process left for us. */
export interface FoundSession extends ProgramState {
  readonly blobs: ReadonlyMap<string, Buffer>;
}

export interface Found {
  readonly epoch: string;
  readonly sessions: readonly FoundSession[];
  /** Why agents before this one ended early; null if none did. */
  readonly trouble: string | null;
  /** What the keeper can do, see keeper/versions.ts. */
  readonly capabilities: readonly string[];
}

interface KeeperLinkOptions {
  /** The payload may be reused after the call. */
  readonly send: (header: KeeperHeader, payload: Uint8Array) => void;
  /** Resolves once everything that was sent is on its way, and would not end with this process. */
  readonly flushed: () => Promise<void>;
  /** End everything in an orderly way. */
  readonly stop: () => void;
  /** Another agent takes over. */
  readonly leave: () => void;
}

type Hello = Extract<ToAgent, { type: 'hello' }>;

export class KeeperLink {
  /** Resolves once everything that was kept has been told. */
  readonly found: Promise<Found>;
  readonly #options: KeeperLinkOptions;
  readonly #programs = new Map<number, KeptPty>();
  readonly #sessions = new Map<number, FoundSession & { readonly blobs: Map<string, Buffer> }>();
  #hello: Hello | undefined;
  #blobsDue = 0;
  #tellFound: (found: Found) => void = () => {};
  #caughtUp: (() => void) | undefined;

  constructor(options: KeeperLinkOptions) {
    this.#options = options;
    this.found = new Promise((resolve) => {
      this.#tellFound = resolve;
    });
  }

  /** This process has loaded its code and its settings, and can take over. */
  booted(): void {
    this.#tell({ type: 'booted', version: KEEPER_VERSION });
  }

  /** Starts a program in the keeper. What can be checked here is refused here. */
  readonly spawn: SpawnPty = (spec, events, session) => {
    if (session === undefined) throw new Error('invariant: the keeper starts programs for sessions');
    checkDirectory(spec.cwd);
    findCommand(spec);
    const { handle, id, historyBytes } = session;
    this.#tell({ type: 'spawn', handle, id, spec, historyBytes });
    return this.#program(handle, events);
  };

  /** Continues with a program that was found. */
  adopt(session: FoundSession, events: PtyEvents): KeptPty {
    return this.#program(session.handle, events, session);
  }

  /** Ends a program that was found and belongs to nobody. */
  discard({ handle }: FoundSession): void {
    this.#tell({ type: 'forget', handle });
  }

  putBlob(handle: number, name: string, bytes: Uint8Array): void {
    this.#send({ kind: 'blob', handle }, named(name, bytes));
  }

  /** The next agent can do without output before `offset`. */
  retain(handle: number, offset: number): void {
    this.#tell({ type: 'retain', handle, offset });
  }

  /** Resolves once the output of all sessions that were found has been read. */
  async catchUp(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#caughtUp = resolve;
      this.#lookCaughtUp();
    });
    this.#sessions.clear();
    this.#tell({ type: 'ready' });
  }

  /** Resolves once everything that was sent is on its way, and would not end with this process. */
  flushed(): Promise<void> {
    return this.#options.flushed();
  }

  /** The keeper ends too, with this exit code. */
  finished(code: number): void {
    this.#tell({ type: 'finished', code });
  }

  /** Throws a WireError for what no keeper of ours would send. */
  received({ kind, handle, offset, flag, payload }: KeeperFrame): void {
    if (kind === 'control') return this.#control(JSON.parse(payload.toString()));
    if (kind === 'blob') return this.#blob(handle, payload);
    // Late frames of a session that was removed.
    const program = this.#programs.get(handle);
    if (program === undefined) return;
    if (kind === 'output') program.printed(plain(payload), flag);
    else if (kind === 'taken') program.took(readNamed(payload).name, offset, flag);
    else throw new WireError(`keepers send no ${kind} frames`);
  }

  #control(message: ToAgent): void {
    switch (message.type) {
      case 'hello':
        return this.#greeted(message);
      case 'session':
        this.#sessions.set(message.handle, { ...message, blobs: new Map() });
        this.#blobsDue += message.blobs;
        return this.#lookFound();
      case 'stop':
        return this.#options.stop();
      case 'leave':
        return this.#options.leave();
      case 'ping':
        return this.#tell({ type: 'pong' });
    }
    if (!('handle' in message)) return; // of a later version
    const program = this.#programs.get(message.handle);
    if (message.type === 'spawned') program?.spawned(message.pid, message.bornAt);
    if (message.type === 'refused') program?.refused(new Refusal(message.code as ErrorCode, message.message));
    if (message.type === 'resized') program?.resized(message.size);
    if (message.type === 'exited') program?.exited(message.exit);
  }

  #greeted(hello: Hello): void {
    const trouble = versionTrouble('keeper', hello.version);
    if (trouble !== null) throw new WireError(trouble);
    this.#hello = hello;
    this.#lookFound();
  }

  #blob(handle: number, payload: Buffer): void {
    const { name, bytes } = readNamed(payload);
    this.#sessions.get(handle)?.blobs.set(name, Buffer.from(bytes));
    this.#blobsDue--;
    this.#lookFound();
  }

  #lookFound(): void {
    if (this.#hello === undefined || this.#sessions.size < this.#hello.sessions || this.#blobsDue > 0) return;
    const { epoch, trouble } = this.#hello;
    const capabilities = readCapabilities(this.#hello.capabilities);
    this.#tellFound({ epoch, trouble, capabilities, sessions: [...this.#sessions.values()] });
  }

  #lookCaughtUp(): void {
    if (this.#caughtUp === undefined) return;
    for (const { handle, end } of this.#sessions.values())
      if ((this.#programs.get(handle)?.end ?? end) < end) return;
    this.#caughtUp();
    this.#caughtUp = undefined;
  }

  #program(handle: number, events: PtyEvents, session?: FoundSession): KeptPty {
    const wire: ProgramWire = {
      keeperPid: this.#hello?.pid ?? 0,
      tell: (message) => this.#tell(message),
      input: (of, { instance, offset }, bytes) =>
        this.#send({ kind: 'input', handle: of, offset }, named(instance, bytes)),
      answer: (of, bytes) => this.#send({ kind: 'answer', handle: of }, bytes),
      credit: (of, offset) => this.#send({ kind: 'credit', handle: of, offset }, NOTHING),
      passedOn: () => this.#lookCaughtUp(),
      forgotten: (of) => {
        this.#programs.delete(of);
        this.#lookCaughtUp();
        this.#tell({ type: 'forget', handle: of });
      },
    };
    const program = new KeptPty(handle, wire, events, session);
    this.#programs.set(handle, program);
    return program;
  }

  #tell(message: ToKeeper): void {
    this.#send({ kind: 'control' }, Buffer.from(JSON.stringify(message)));
  }

  #send(header: KeeperHeader, payload: Uint8Array): void {
    this.#options.send(header, payload);
  }
}

const NOTHING = new Uint8Array(0);

/**
 * The same bytes as an array whose `slice` copies. That of a Buffer is a view of memory which the next frame overwrites,
 * and a message to a thread with such a view takes a copy of all that memory.
 */
function plain({ buffer, byteOffset, length }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
