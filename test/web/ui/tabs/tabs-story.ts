/** A window with its tabs against a scripted relay on an in-memory socket. */

import { WorkspaceClient } from '../../../../client/workspace-client.ts';
import type { Size } from '../../../../protocol/frame.ts';
import type { ClientMessage } from '../../../../protocol/messages/client-message.ts';
import type { Layout } from '../../../../protocol/messages/message-parts.ts';
import type { ServerMessage, ServerMessageOf } from '../../../../protocol/messages/server-message.ts';
import type { SessionInfo } from '../../../../protocol/messages/session-info.ts';
import type { ClientRole } from '../../../../protocol/roles.ts';
import { type Tab, tabList } from '../../../../web/ui/tabs/tab-list.ts';
import { TabMemory } from '../../../../web/ui/tabs/tab-memory.ts';
import { Tabs } from '../../../../web/ui/tabs/tabs.ts';
import type { TerminalFlow } from '../../../../web/ui/tabs/terminal-flow.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { FakeNetwork } from '../../../support/socket-pair.ts';
import { FakeStorage } from './fake-storage.ts';

export const WINDOW = { cols: 100, rows: 30 };

/** A screen that parses at once, or on request. */
export class PlainScreen {
  size: Size = WINDOW;
  resets = 0;
  isHeld = false;
  #unparsed: (() => void)[] = [];

  write(_bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (this.isHeld) this.#unparsed.push(shown);
    else shown();
  }

  parses(): void {
    for (const shown of this.#unparsed.splice(0)) shown();
  }

  reset(): void {
    this.resets++;
    this.dividers = [];
  }

  /** The dividers between outputs, since the last reset. */
  dividers: string[] = [];

  divide(sentence: string): void {
    this.dividers.push(sentence);
  }

  resize(size: Size): void {
    this.size = size;
  }
}

interface StoryOptions {
  readonly role?: ClientRole;
  /** Whether each tab gets a screen as soon as it exists, as on a page. */
  readonly screens?: boolean;
  /** Whether a shell that exits with code 0 closes its tab. */
  readonly closesOnExit?: boolean;
}

export class Story {
  readonly clock = new FakeClock();
  readonly network = new FakeNetwork();
  readonly screens = new Map<string, PlainScreen>();
  readonly storage = new FakeStorage();
  readonly memory = new TabMemory(this.storage, 'local');
  readonly client = new WorkspaceClient({
    dial: this.network.dial,
    inflate: async (bytes) => bytes,
    clock: this.clock,
    random: () => 0.5,
    watched: () => true,
    instance: 'page',
  });
  readonly windowTabs: Tabs;
  readonly #role: ClientRole;
  #keys = 0;

  constructor(kept: readonly Tab[] = [], options: StoryOptions = {}) {
    const { role = 'operator', screens = true, closesOnExit = false } = options;
    this.#role = role;
    if (kept.length > 0) this.memory.write(tabList(kept, kept[0]?.key ?? null), () => 0);
    const { client, clock, memory } = this;
    this.windowTabs = new Tabs({
      client,
      clock,
      memory,
      newKey: () => `key-${++this.#keys}`,
      closesOnExit: () => closesOnExit,
    });
    if (screens) {
      this.windowTabs.onChange(() => this.#mount());
      this.#mount();
    }
    this.windowTabs.start();
  }

  #mount(): void {
    for (const key of this.screens.keys())
      if (this.windowTabs.flow(key) === undefined) this.screens.delete(key);
    for (const { key } of this.windowTabs.list.tabs) {
      if (this.screens.has(key)) continue;
      const screen = new PlainScreen();
      this.screens.set(key, screen);
      this.windowTabs.showOn(key, screen, WINDOW);
    }
  }

  connects(): this {
    this.network.latest.accept();
    return this.agentIs('online');
  }

  agentIs(state: 'online' | 'offline', epoch = 'epoch-1', generation = 1): this {
    const agent = { state, since: null, epoch, generation, graceMs: 30_000 };
    return this.says({ type: 'agent_state', agent, role: this.#role });
  }

  /** Time passes, with heartbeats answered. */
  waits(ms: number): void {
    this.network.passes(this.clock, ms);
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

  /** The names of the tabs, in order, with the active one marked. */
  get tabs(): string[] {
    const { active, tabs } = this.windowTabs.list;
    return tabs.map(({ key, name }) => (key === active ? `[${name}]` : name));
  }

  get flow(): TerminalFlow {
    const flow = this.windowTabs.flow(this.windowTabs.list.active ?? '');
    if (flow === undefined) throw new Error('no terminal is shown');
    return flow;
  }

  get kept(): unknown {
    return this.memory.read().list.tabs.map(({ session, name }) => ({ session, name }));
  }

  async lists(...sessions: SessionInfo[]): Promise<void> {
    const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
    await this.answers('list_sessions', (request) => ({ type: 'session_list', request, agent, sessions }));
  }

  async laysOut(layout: Layout | null): Promise<void> {
    await this.answers('load_layout', (request) => ({ type: 'layout', request, layout, savedAt: null }));
  }

  async creates(session: SessionInfo, nth = -1): Promise<void> {
    await this.answers('create_session', (request) => ({ type: 'session_created', request, session }), nth);
  }

  async reattaches(session: SessionInfo, size: Size = WINDOW): Promise<void> {
    const handle = handleOf(session.id);
    const nth = this.asked('reattach_session').findLastIndex(({ session: id }) => id === session.id);
    await this.answers(
      'reattach_session',
      (request) => ({ type: 'session_reattached', request, session, handle, inputOffset: 0 }),
      nth,
    );
    const span = { kind: 'delta', from: 0, to: 0, lost: 0, bytes: 0 } as const;
    this.says({ type: 'scrollback', session: session.id, handle, ...span, ...size });
  }

  async refuses(
    type: 'create_session' | 'reattach_session' | 'list_sessions',
    code: ServerMessageOf<'error'>['code'],
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

  /** Answers the newest question of a kind, or the nth, and lets the flow continue from there. */
  async answers(
    type: 'list_sessions' | 'load_layout' | 'create_session' | 'reattach_session',
    answer: (request: string) => ServerMessage,
    nth = -1,
  ): Promise<void> {
    const question = this.asked(type).at(nth);
    if (question === undefined) throw new Error(`nobody asked ${type}`);
    this.says(answer(question.request));
    await settled();
  }
}

function handleOf(id: string): number {
  return id.split('').reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 1_000_000;
}

/** Promise chains of the flow are a few steps long; none of them waits for time. */
export async function settled(): Promise<void> {
  for (let link = 0; link < 12; link++) await Promise.resolve();
}

export const build = { key: 'a', session: 's1', name: 'Build' };
export const logs = { key: 'b', session: 's2', name: 'Logs' };

/** A page that shows the sessions `s1` and `s2`, the first of them. */
export async function showing(options: StoryOptions = {}): Promise<Story> {
  const story = new Story([build, logs], options).connects();
  await story.lists(sessionInfo('s1', { name: 'Build' }), sessionInfo('s2', { name: 'Logs' }));
  await story.reattaches(sessionInfo('s1', { name: 'Build' }));
  await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
  return story;
}
