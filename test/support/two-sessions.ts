/**
 * A workspace with a real agent and two sessions: one for which there are links and tokens, and another of which nobody
 * who has them may see or change anything.
 */
import { expect } from 'vitest';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { newClaims, signToken } from '../../worker/gate/made-token.ts';
import { AgentOnLink } from './agent-on-link.ts';
import { connectClient } from './relay-story.ts';
import type { ScriptedPeer } from './scripted-peer.ts';
import { SECRET, TestRelay } from './test-relay.ts';

/** In everything that can be told of the other session: its name, output, title and directory. */
export const MARK = 'unseen';

interface Session {
  readonly id: string;
  readonly handle: number;
}

/** A token for one session, as a platform makes it. */
export function oneSessionToken(relay: TestRelay, role: ClientRole, session: string): Promise<string> {
  const claims = newClaims({ ws: relay.workspace, role, session }, 24 * 3600);
  return signToken(claims, { secret: SECRET, publicKeys: undefined });
}

export class TwoSessions implements AsyncDisposable {
  readonly relay: TestRelay;
  readonly machine: AgentOnLink;
  readonly operator: ScriptedPeer;
  readonly own: Session;
  readonly other: Session;
  /** The channels of those who were there from the beginning. */
  #channels: readonly number[] = [];

  private constructor(relay: TestRelay, machine: AgentOnLink, operator: ScriptedPeer) {
    this.relay = relay;
    this.machine = machine;
    this.operator = operator;
    const size = { cols: 80, rows: 24 };
    const { sessions } = machine.agent;
    this.own = sessions.create({ size, name: 'mine', key: 'mine' }).identity;
    this.other = sessions.create({ size, name: MARK, key: MARK, cwd: `/${MARK}` }).identity;
  }

  static async open(): Promise<TwoSessions> {
    const relay = await TestRelay.onWorkerd();
    const machine = await AgentOnLink.connect(relay);
    const two = new TwoSessions(relay, machine, await connectClient(relay));
    await two.#begin();
    return two;
  }

  async #begin(): Promise<void> {
    const { machine, operator, other, own } = this;
    machine.spawner.ptys[0]?.prints('hello\r\n');
    machine.spawner.ptys[1]?.prints(`${MARK} \x1b]2;${MARK}\x07\r\n`);
    const tabs = [own, other].map(({ id }) => ({ session: id, name: MARK }));
    operator.send({ type: 'save_layout', request: 'l', layout: { tabs, active: other.id } });
    operator.send({ type: 'reattach_session', request: 'a', session: other.id, instance: 'i-1', from: 7 });
    await operator.message('session_reattached');
    this.#channels = await machine.clients();
  }

  /** Somebody who sees the first session only. */
  async connect(role: ClientRole): Promise<ScriptedPeer> {
    return connectClient(this.relay, role, await oneSessionToken(this.relay, role, this.own.id));
  }

  /** The channels of those who have come since. */
  async guests(): Promise<readonly number[]> {
    return (await this.machine.clients()).filter((one) => !this.#channels.includes(one));
  }

  /** Compares all that the agent and the registry have of the other session, and of the workspace as a whole. */
  async changesNothing(act: () => Promise<void>): Promise<void> {
    const before = await this.#unseen();
    await act();
    expect(await this.#unseen()).toEqual(before);
  }

  expectUnseen(received: unknown): void {
    const text = readable(received);
    expect(text).not.toContain(this.other.id);
    expect(text).not.toContain(MARK);
  }

  async #unseen(): Promise<unknown> {
    const { machine, operator, other, relay } = this;
    await operator.pong();
    await machine.onlyClients(this.#channels);
    const session = machine.agent.sessions.list().find(({ info }) => info.id === other.id);
    if (session === undefined) throw new Error('the other session is gone');
    const { driver, size, operators, input } = session;
    const [rows, ...others] = await relay.sql(
      `SELECT status, info, typed_by FROM sessions WHERE id = '${other.id}'`,
      'SELECT * FROM layout',
      'SELECT * FROM share_links',
      'SELECT * FROM revocations',
      'SELECT * FROM agent_key',
      'SELECT * FROM push_subscriptions',
      'SELECT count(*) AS n FROM sessions',
    );
    const told = rows?.map((row) => ({ ...row, info: settled(JSON.parse(String(row.info))) }));
    const pty = machine.spawner.ptys[1];
    const typed = [pty?.typed, pty?.size, pty?.signals];
    const info = settled(session.info);
    return { info, driver, size, operators, instances: input.instances, typed, told, others };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]();
    await this.machine[Symbol.asyncDispose]();
    await this.relay[Symbol.asyncDispose]();
  }
}

/** Without what changes when the program prints. */
function settled({ lastActivityAt: _at, bufferBytes: _bytes, ...info }: SessionInfo): unknown {
  return info;
}

/** Everything in messages and frames as text. */
export function readable(received: unknown): string {
  return JSON.stringify(received, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
}
