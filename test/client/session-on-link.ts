/** One session of a client, and a link that records what is sent on it. */
import type { AttachOptions } from '../../client/attached-session.ts';
import { SessionExchange } from '../../client/session-exchange.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { TextScreen } from '../support/text-screen.ts';

export const SIZE = { cols: 80, rows: 24 };

export function attached(options: AttachOptions = {}, size: typeof SIZE | null = SIZE) {
  const said: ClientMessage[] = [];
  const clock = new FakeClock();
  const link = { theme: undefined as Theme | undefined, changes: 0 };
  let requests = 0;
  const exchange = new SessionExchange(
    's1',
    size,
    new TextScreen(),
    {
      clock,
      instance: 'page',
      asksPeople: false,
      inflate: async (bytes) => bytes,
      holds: () => {},
      theme: () => link.theme,
      sendMessage: (message) => said.push(message),
      sendFrame: () => {},
      newRequest: () => `r${++requests}`,
      stateChanged: () => link.changes++,
      agentAnswered: () => {},
      agentLate: () => {},
      broken: () => {},
    },
    options,
  );
  const hears = (message: object) => exchange.receive({ session: 's1', ...message } as ServerMessage);
  return {
    session: exchange.session,
    exchange,
    clock,
    link,
    /** The messages since the last call. */
    said: () => said.splice(0),
    hears,
    /** The agent accepts, and nothing is missing. */
    accepted(request = `r${requests}`) {
      const session = sessionInfo('s1');
      hears({ type: 'session_reattached', request, session, handle: 7, inputOffset: 0 });
      hears({ type: 'scrollback', handle: 7, kind: 'delta', from: 0, to: 0, lost: 0, bytes: 0, ...SIZE });
    },
  };
}

export function live(options: AttachOptions = {}, size: typeof SIZE | null = SIZE) {
  const story = attached({ isNew: true, ...options }, size);
  story.exchange.attach();
  story.accepted();
  story.said();
  return story;
}
