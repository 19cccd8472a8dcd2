/** How a page finds its session, against a scripted relay on an in-memory socket. */

import { describe, expect, it } from 'vitest';
import type { Size } from '../../protocol/frame.ts';
import { decodeFrame } from '../../protocol/frame.ts';
import type { ClientMessage, ServerMessage, SessionInfo } from '../../protocol/messages.ts';
import { WorkspaceClient } from '../../web/client/workspace-client.ts';
import { SessionFlow } from '../../web/ui/session-flow.ts';
import { SessionMemory } from '../../web/ui/session-memory.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { FakeNetwork } from '../support/socket-pair.ts';
import { FakeStorage } from './ui-fake-storage.ts';

const WINDOW = { cols: 100, rows: 30 };
const HANDLE = 7;

/** A screen that parses at once. */
class PlainScreen {
  size: Size = WINDOW;
  resets = 0;

  write(_bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    shown();
  }

  reset(): void {
    this.resets++;
  }

  resize(size: Size): void {
    this.size = size;
  }
}

class Story {
  readonly clock = new FakeClock();
  readonly network = new FakeNetwork();
  readonly screen = new PlainScreen();
  readonly memory = new SessionMemory(new FakeStorage(), 'local');
  readonly client = new WorkspaceClient({
    dial: this.network.dial,
    inflate: async (bytes) => bytes,
    clock: this.clock,
    random: () => 0.5,
    watched: () => true,
    instance: 'page',
  });
  readonly flow: SessionFlow;

  constructor(kept?: { id: string; name: string }) {
    if (kept !== undefined) this.memory.write(kept);
    const { client, memory, screen } = this;
    this.flow = new SessionFlow({ client, screen, memory, size: WINDOW, changed: () => {} });
    this.flow.start();
  }

  connects(): this {
    this.network.latest.accept();
    return this.agentIs('online');
  }

  agentIs(state: 'online' | 'offline', epoch = 'epoch-1', generation = 1): this {
    return this.says({ type: 'agent_state', agent: { state, since: null, epoch, generation } });
  }

  says(message: ServerMessage): this {
    this.network.latest.send(JSON.stringify(message));
    return this;
  }

  asked<T extends ClientMessage['type']>(type: T): Extract<ClientMessage, { type: T }>[] {
    return this.network.pairs
      .flatMap((pair) => pair.heard)
      .flatMap((frame) => (typeof frame === 'string' && frame !== 'ping' ? [JSON.parse(frame)] : []))
      .filter((message) => message.type === type);
  }

  async lists(...sessions: SessionInfo[]): Promise<void> {
    const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
    await this.answers('list_sessions', (request) => ({ type: 'session_list', request, agent, sessions }));
  }

  async creates(session: SessionInfo): Promise<void> {
    await this.answers('create_session', (request) => ({ type: 'session_created', request, session }));
  }

  async reattaches(session: SessionInfo, size: Size = WINDOW): Promise<void> {
    await this.answers('reattach_session', (request) => ({
      type: 'session_reattached',
      request,
      session,
      handle: HANDLE,
      inputOffset: 0,
    }));
    const span = { kind: 'delta', from: 0, to: 0, lost: 0, bytes: 0 } as const;
    this.says({ type: 'scrollback', session: session.id, handle: HANDLE, ...span, ...size });
  }

  async refuses(
    type: 'create_session' | 'reattach_session',
    code: 'session_missing' | 'session_limit',
  ): Promise<void> {
    const session = this.asked('reattach_session').at(-1)?.session;
    await this.answers(type, (request) => ({
      type: 'error',
      code,
      message: `refused: ${code}`,
      request,
      ...(type === 'reattach_session' && session !== undefined ? { session } : {}),
    }));
  }

  /** Answers the newest question of a kind, and lets the flow go on from there. */
  async answers(
    type: 'list_sessions' | 'create_session' | 'reattach_session',
    answer: (request: string) => ServerMessage,
  ): Promise<void> {
    const question = this.asked(type).at(-1);
    if (question === undefined) throw new Error(`nobody asked ${type}`);
    this.says(answer(question.request));
    await settled();
  }
}

/** Promise chains of the flow are a few links long; none of them waits for time. */
async function settled(): Promise<void> {
  for (let link = 0; link < 10; link++) await Promise.resolve();
}

/** A page that shows the session `s1`. */
async function showing(): Promise<Story> {
  const story = new Story().connects();
  await story.lists(sessionInfo('s1', { name: 'Build' }));
  await story.reattaches(sessionInfo('s1', { name: 'Build' }));
  return story;
}

describe('a page that opens', () => {
  it('[P17] attaches the session it kept', async () => {
    const story = new Story({ id: 's2', name: 'Logs' }).connects();
    await story.lists(sessionInfo('s1'), sessionInfo('s2', { name: 'Logs' }));
    expect(story.asked('reattach_session')).toMatchObject([{ session: 's2', ...WINDOW }]);
    expect(story.asked('create_session')).toEqual([]);
    expect(story.flow.name).toBe('Logs');
  });

  it('[IN1] keeps what is typed before there is a terminal, and types it into the one that comes', async () => {
    const story = new Story().connects();
    story.flow.type(new TextEncoder().encode('ls\n'));
    await story.lists(sessionInfo('s1'));
    await story.reattaches(sessionInfo('s1'));
    const typed = story.network.latest.heard.flatMap((frame) =>
      typeof frame === 'string' ? [] : [decodeFrame(frame)],
    );
    expect(
      typed.filter(({ kind }) => kind === 'input').map(({ payload }) => new TextDecoder().decode(payload)),
    ).toEqual(['ls\n']);
  });

  it('creates one session in the size of the window when nothing runs, and keeps its id', async () => {
    const story = new Story().connects();
    await story.lists();
    expect(story.asked('create_session')).toMatchObject([{ name: 'Terminal 1', ...WINDOW }]);
    await story.creates(sessionInfo('new', { name: 'Terminal 1' }));
    expect(story.asked('reattach_session')).toMatchObject([{ session: 'new' }]);
    expect(story.memory.read()).toEqual({ id: 'new', name: 'Terminal 1' });
  });

  it('creates nothing while the machine is offline, and goes on when it is back', async () => {
    const story = new Story();
    story.network.latest.accept();
    story.agentIs('offline');
    await settled();
    expect(story.asked('list_sessions')).toEqual([]);
    story.agentIs('online');
    expect(story.asked('list_sessions')).toHaveLength(1);
  });

  it('[P20] creates one session when the agent links anew during the list', async () => {
    const story = new Story().connects();
    story.agentIs('online'); // said again, as after its inventory
    expect(story.asked('list_sessions')).toHaveLength(1);
    await story.lists();
    await story.creates(sessionInfo('new'));
    expect(story.asked('create_session')).toHaveLength(1);
    expect(story.asked('reattach_session')).toHaveLength(1);
  });

  it('[P20] finds after a lost connection what it had created before it', async () => {
    const story = new Story().connects();
    await story.lists();
    story.network.latest.cut();
    await settled();
    story.clock.advance(1_000);
    story.connects();
    await story.lists(sessionInfo('new'));
    expect(story.asked('create_session')).toHaveLength(1);
    expect(story.asked('reattach_session')).toMatchObject([{ session: 'new' }]);
  });

  it('asks a newer agent what the one before left unanswered', async () => {
    const story = new Story().connects();
    await story.lists();
    story.agentIs('online', 'epoch-2', 2);
    await settled();
    expect(story.asked('list_sessions')).toHaveLength(2);
  });

  it('says why no session could be created, and tries again when told to', async () => {
    const story = new Story().connects();
    await story.lists();
    await story.refuses('create_session', 'session_limit');
    expect(story.flow.state).toEqual({ name: 'failed', sentence: 'refused: session_limit' });
    story.flow.newTerminal();
    expect(story.asked('create_session')).toHaveLength(2);
  });
});

describe('a page with a session', () => {
  it('reattaches the same one after a lost connection, with its screen', async () => {
    const story = await showing();
    const { resets } = story.screen;
    story.network.latest.cut();
    story.clock.advance(1_000);
    story.connects();
    await story.reattaches(sessionInfo('s1'));
    expect(story.asked('list_sessions')).toHaveLength(1);
    expect(story.flow.state).toMatchObject({ name: 'attached', seen: 'live' });
    expect(story.screen.resets).toBe(resets);
  });

  it('[P26] gets a fresh one of the same name when the agent came back without it', async () => {
    const story = await showing();
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    await story.refuses('reattach_session', 'session_missing');
    expect(story.asked('create_session')).toMatchObject([{ name: 'Build', replaces: 's1' }]);
    await story.creates(sessionInfo('s2', { name: 'Build', epoch: 'epoch-2' }));
    expect(story.memory.read()?.id).toBe('s2');
  });

  it('shows how the shell ended, and starts another only when asked', async () => {
    const story = await showing();
    story.says({ type: 'session_exited', session: 's1', exitCode: 3, signal: null, offset: 0 });
    expect(story.flow.state).toMatchObject({ name: 'ended', sentence: 'The shell has ended (exit code 3).' });
    await settled();
    expect(story.asked('create_session')).toEqual([]);
    story.flow.newTerminal();
    story.flow.newTerminal();
    expect(story.asked('create_session')).toHaveLength(1);
  });

  it('[P26] gets a fresh one after an agent that ended its shells before it stopped', async () => {
    const story = await showing();
    story.says({ type: 'session_exited', session: 's1', exitCode: null, signal: 'SIGHUP', offset: 0 });
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    await settled();
    expect(story.asked('create_session')).toMatchObject([{ name: 'Build', replaces: 's1' }]);
  });

  it('starts nothing when somebody closes the session before its eyes', async () => {
    const story = await showing();
    story.says({ type: 'session_closed', session: 's1', reason: 'closed' });
    await settled();
    expect(story.flow.state).toMatchObject({
      name: 'ended',
      sentence: 'This terminal was closed elsewhere.',
    });
    expect(story.asked('create_session')).toEqual([]);
  });

  it('leaves the size of a live terminal to the agent, and sets it itself otherwise', async () => {
    const story = await showing();
    story.flow.fitted({ cols: 60, rows: 20 });
    expect(story.asked('resize')).toMatchObject([{ session: 's1', cols: 60, rows: 20 }]);
    expect(story.screen.size).toEqual(WINDOW);
    story.network.latest.cut();
    story.flow.fitted({ cols: 50, rows: 10 });
    expect(story.screen.size).toEqual({ cols: 50, rows: 10 });
  });

  it('leaves the session running when it goes', async () => {
    const story = await showing();
    story.flow.stop();
    expect(story.asked('detach_session')).toMatchObject([{ session: 's1' }]);
    expect(story.asked('close_session')).toEqual([]);
  });
});
