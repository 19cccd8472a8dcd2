/** A keeper with fake programs, and an agent that says what the test tells it to. */
import { Keeper, type Start } from '../../../vm-agent/keeper/keeper.ts';
import type { ToAgent, ToKeeper } from '../../../vm-agent/keeper/messages.ts';
import type { SavedKeeper } from '../../../vm-agent/keeper/saved-state.ts';
import { encodeState, StateReader } from '../../../vm-agent/keeper/state-file.ts';
import {
  FrameReader,
  type KeeperFrame,
  type KeeperHeader,
  named,
  readNamed,
} from '../../../vm-agent/keeper/wire.ts';
import { EndedPty } from '../../../vm-agent/pty/ended-pty.ts';
import type { AdoptPty, SpawnOwned } from '../../../vm-agent/pty/pty.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../../support/fake-pty.ts';
import { frameBytes } from './frame-bytes.ts';

export const SPEC = { command: 'sh', args: [], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
const NOTHING = Buffer.alloc(0);

export class ScriptedAgent {
  readonly #keeper: Keeper;
  /** In the order in which they came, short enough to compare. */
  heard: string[] = [];
  readonly messages: ToAgent[] = [];
  output = '';
  isWritable = true;
  readonly #reader = new FrameReader();
  readonly #writer = new FrameReader();

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  send(header: KeeperHeader, payload: Uint8Array): void {
    for (const frame of this.#reader.read(frameBytes(header, payload))) this.#received(frame);
  }

  sendLater(header: KeeperHeader, payload: Uint8Array): void {
    this.send(header, payload);
  }

  tell(message: ToKeeper): void {
    this.#give({ kind: 'control' }, Buffer.from(JSON.stringify(message)));
  }

  spawn(handle: number, historyBytes = 100, id = `id ${handle}`): void {
    this.tell({ type: 'spawn', handle, id, spec: SPEC, historyBytes });
  }

  credit(handle: number, offset: number): void {
    this.#give({ kind: 'credit', handle, offset }, NOTHING);
  }

  type(handle: number, instance: string, offset: number, text: string): void {
    this.#give({ kind: 'input', handle, offset }, named(instance, Buffer.from(text)));
  }

  answer(handle: number, text: string): void {
    this.#give({ kind: 'answer', handle }, Buffer.from(text));
  }

  blob(handle: number, name: string, bytes: Uint8Array): void {
    this.#give({ kind: 'blob', handle }, named(name, bytes));
  }

  /** What was heard since the last call. */
  hears(): string[] {
    return this.heard.splice(0);
  }

  session(handle: number): Extract<ToAgent, { type: 'session' }> {
    const found = this.messages.find((message) => message.type === 'session' && message.handle === handle);
    if (found?.type !== 'session') throw new Error(`no session ${handle} was told`);
    return found;
  }

  #give(header: KeeperHeader, payload: Uint8Array): void {
    const bytes = frameBytes(header, payload);
    for (const frame of this.#writer.read(bytes)) this.#keeper.received(frame);
    // Whoever keeps a view instead of a copy finds out.
    bytes.fill(0);
  }

  #received({ kind, handle, offset, flag, payload }: KeeperFrame): void {
    if (kind === 'output') {
      this.output += payload;
      this.heard.push(`${handle} prints ${offset} ${shortened(payload.toString())}${flag ? '.' : '…'}`);
    } else if (kind === 'taken')
      this.heard.push(`${handle} took ${offset} of ${readNamed(payload).name}${flag ? ' earlier' : ''}`);
    else if (kind === 'blob') {
      const { name, bytes } = readNamed(payload);
      this.heard.push(`${handle} left ${name} ${shortened(bytes.toString())}`);
    } else this.#told(JSON.parse(payload.toString()));
  }

  #told(message: ToAgent): void {
    this.messages.push(message);
    const handle = 'handle' in message ? `${message.handle} ` : '';
    if (message.type === 'resized')
      this.heard.push(`${handle}has ${message.size.cols} columns at ${message.offset}`);
    else if (message.type === 'exited')
      this.heard.push(`${handle}exits ${message.exit.code ?? message.exit.signal}`);
    else if (message.type === 'refused') this.heard.push(`${handle}refused ${message.code}`);
    else this.heard.push(`${handle}${message.type}`);
  }
}

function shortened(text: string): string {
  return text.length > 20 ? `(${text.length})` : text;
}

export interface KeeperStory {
  readonly keeper: Keeper;
  readonly clock: FakeClock;
  readonly ptys: FakePty[];
  readonly finished: number[];
  /** Another agent, in place of the one before. */
  attach(start?: Start, trouble?: string): ScriptedAgent;
  /** A new keeper, which has read what the one before had written. Agents attach to that one. */
  upgrade(): Keeper;
}

export function openKeeper(spawn?: SpawnOwned): KeeperStory {
  const spawner = fakeSpawner();
  const clock = new FakeClock();
  const finished: number[] = [];
  const options = {
    spawn: spawn ?? spawner.spawn,
    clock,
    epoch: 'epoch',
    pid: 42,
    ready: () => finished.push(-1),
    finished: (code: number) => finished.push(code),
  };
  const keeper = new Keeper(options);
  let current = keeper;
  const attach = (start: Start = 'all', trouble: string | null = null) => {
    const agent = new ScriptedAgent(current);
    current.attach(agent, start, trouble);
    return agent;
  };
  const adopt: AdoptPty = (saved, events) =>
    saved.terminal === null
      ? new EndedPty(saved)
      : (spawner.ptys[saved.terminal.fd - 1] as FakePty).continue(events);
  const upgrade = () => {
    const { epoch, programs } = passedOn(current.save());
    current = new Keeper({ ...options, epoch, earlier: { programs, adopt } });
    return current;
  };
  return { keeper, clock, ptys: spawner.ptys, finished, attach, upgrade };
}

/** What a new keeper reads of what another one saved. */
export function passedOn(state: SavedKeeper): SavedKeeper {
  const reader = new StateReader();
  const bytes = Buffer.concat([...encodeState(state)]);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = Buffer.from(bytes.subarray(at, at + PIECE_BYTES));
    reader.read(piece);
    // Whoever keeps a view instead of a copy finds out.
    piece.fill(0);
  }
  return reader.finish();
}

/** Cuts frames anywhere. */
const PIECE_BYTES = 1000;
