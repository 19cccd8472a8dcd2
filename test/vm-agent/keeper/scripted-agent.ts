/** A keeper with fake programs, and an agent that says what the test tells it to. */
import { Keeper, type Start } from '../../../vm-agent/keeper/keeper.ts';
import type { ToAgent, ToKeeper } from '../../../vm-agent/keeper/messages.ts';
import {
  FrameReader,
  type KeeperFrame,
  type KeeperHeader,
  named,
  readNamed,
} from '../../../vm-agent/keeper/wire.ts';
import type { SpawnPty } from '../../../vm-agent/pty/pty.ts';
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
}

export function openKeeper(spawn?: SpawnPty): KeeperStory {
  const spawner = fakeSpawner();
  const clock = new FakeClock();
  const finished: number[] = [];
  const keeper = new Keeper({
    spawn: spawn ?? spawner.spawn,
    clock,
    epoch: 'epoch',
    pid: 42,
    ready: () => finished.push(-1),
    finished: (code) => finished.push(code),
  });
  const attach = (start: Start = 'all', trouble: string | null = null) => {
    const agent = new ScriptedAgent(keeper);
    keeper.attach(agent, start, trouble);
    return agent;
  };
  return { keeper, clock, ptys: spawner.ptys, finished, attach };
}
