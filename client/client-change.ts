/** What a change event is about, so that a listener can skip what it does not show. */

export type ClientChange =
  /** The connection: its state, the role, whether the agent answers, and the round trip to the relay. */
  | { readonly of: 'connection' }
  /** One attached session, and with it the round trip to the agent, which its input measures. */
  | { readonly of: 'session'; readonly session: string }
  /** Who watches a session, attached or not. */
  | { readonly of: 'people'; readonly session: string };

/** `input`: nothing but the amount of input that is on its way. */
export type SessionChange = 'input' | 'session';
