/** A client of a workspace, a screen, and the relay that a test plays for it on an in-memory socket. */
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { decodeFrame, encodeFrame, type Frame } from '../../protocol/frame.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { FakeNetwork } from '../support/socket-pair.ts';
import { TextScreen } from '../support/text-screen.ts';

export const SIZE = { cols: 80, rows: 24 };
export const HANDLE = 7;

export class Story {
  readonly clock = new FakeClock();
  readonly network = new FakeNetwork();
  readonly client: WorkspaceClient;
  readonly screen = new TextScreen();

  constructor(more: { readonly asksPeople?: boolean } = {}) {
    this.client = new WorkspaceClient({
      dial: this.network.dial,
      inflate: async (bytes) => bytes,
      clock: this.clock,
      random: () => 0.5,
      watched: () => true,
      instance: 'page',
      ...more,
    });
  }

  /** The relay accepts the client and reports that the agent is online. */
  connects(generation = 1, state: 'online' | 'offline' = 'online'): void {
    this.network.latest.accept();
    this.agentIs(state, generation);
  }

  agentIs(state: 'online' | 'offline', generation = 1): void {
    this.says({ type: 'agent_state', agent: { state, since: null, epoch: 'epoch-1', generation } });
  }

  /** Time passes, with heartbeats answered. */
  waits(ms: number): void {
    this.network.passes(this.clock, ms);
  }

  says(message: ServerMessage): void {
    this.network.latest.send(JSON.stringify(message));
  }

  prints(offset: number, text: string): void {
    this.network.latest.send(
      encodeFrame({ kind: 'output', channel: 1, handle: HANDLE, offset }, new TextEncoder().encode(text)),
    );
  }

  /** Answers the newest reattach request. */
  reattaches(
    from: number,
    to: number,
    more: { lost?: number; inputOffset?: number; epoch?: string } = {},
  ): void {
    const { lost = 0, inputOffset = 0, epoch = 'epoch-1' } = more;
    const { request } = this.asked('reattach_session').at(-1) as { request: string };
    this.says({
      type: 'session_reattached',
      request,
      session: sessionInfo('s1', { epoch }),
      handle: HANDLE,
      inputOffset,
    });
    this.says({
      type: 'scrollback',
      session: 's1',
      handle: HANDLE,
      kind: 'delta',
      from,
      to,
      lost,
      bytes: 0,
      ...SIZE,
    });
  }

  /** Answers the newest reattach request with a screen; `bytes` is its promised length. */
  sendsScreen(from: number, to: number, picture: string, bytes = picture.length): void {
    const { request } = this.asked('reattach_session').at(-1) as { request: string };
    this.says({
      type: 'session_reattached',
      request,
      session: sessionInfo('s1'),
      handle: HANDLE,
      inputOffset: 0,
    });
    this.says({
      type: 'scrollback',
      session: 's1',
      handle: HANDLE,
      kind: 'snapshot',
      from,
      to,
      lost: 0,
      bytes,
      ...SIZE,
    });
    this.sendsPiece(0, picture);
  }

  sendsPiece(offset: number, picture: string): void {
    this.network.latest.send(
      encodeFrame(
        { kind: 'snapshot', channel: 1, handle: HANDLE, offset },
        new TextEncoder().encode(picture),
      ),
    );
  }

  asked<T extends ClientMessage['type']>(type: T): Extract<ClientMessage, { type: T }>[] {
    const messages = this.network.latest.heard.flatMap((frame) =>
      typeof frame === 'string' && frame !== 'ping' ? [JSON.parse(frame) as ClientMessage] : [],
    );
    return messages.filter((message) => message.type === type) as Extract<ClientMessage, { type: T }>[];
  }

  frames(kind: Frame['kind']): [number, string][] {
    return this.network.latest.heard
      .flatMap((frame) => (typeof frame === 'string' ? [] : [decodeFrame(frame)]))
      .filter((frame) => frame.kind === kind)
      .map((frame) => [frame.offset, new TextDecoder().decode(frame.payload)]);
  }
}
