/**
 * A request that is sent again after a reconnect of either link, until it is answered or its time is over. It may be
 * repeated because the agent does it once (it has an `act`), or because it changes nothing. It is never repeated in
 * another epoch of the agent, which knows neither the act nor the offsets of the one before.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { AWAIT_MAX_MS } from '../../protocol/limits.ts';
import type { Ability } from '../../protocol/messages/client-message.ts';
import { NoAnswer } from './requests.ts';

/**
 * How long the answer may take beyond the time that the agent was asked to wait: a reconnect of either link, or the
 * first prompt of a shell that has just been started. With it, a wait of 50 s ends before programs give up after 60 s.
 */
export const ANSWER_SLACK_MS = 8_000;

/**
 * How long an agent that has just connected may take to say what it can do. Until then it seems to be too old, or not to
 * be there.
 */
const TOLD_WITHIN_MS = 2_000;

/** What is known of the agent: `unknown` while the relay has not told, `left` when it never will. */
interface KnownAgent {
  readonly state: 'online' | 'offline' | 'unknown' | 'left';
  readonly epoch: string | null;
  /** What it can do beyond the first version of the protocol. [RL30] */
  readonly can: readonly string[];
}

export interface RepeatLink {
  readonly clock: Clock;
  agent(): KnownAgent;
  /** Calls `listener` when the agent may have changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** The agent that may have got a request, for a caller who asks for the same again in another call. */
export interface AskedAgent {
  /** Undefined while none has. */
  epoch?: string | null | undefined;
}

interface Repeated<A> {
  readonly needs: Ability;
  /** Remembers the agent over several calls; otherwise it is forgotten after this one. */
  readonly asked?: AskedAgent | undefined;
  /** How long to wait; longer than an agent waits at once, if need be. */
  readonly waitMs: number;
  /** Sends the request to an agent of this epoch: it shall wait for `waitMs`, and its answer come within `withinMs`. */
  readonly ask: (waitMs: number, withinMs: number, epoch: string | null) => Promise<A>;
  /** Whether the agent may be asked again, because what is waited for has not happened. */
  readonly isPending?: (answer: A) => boolean;
}

/**
 * Resolves with the answer. Rejects with a Refusal, or with NoAnswer when the outcome is unknown: the link was lost for
 * too long, or the machine was restarted.
 */
export async function askUntilAnswered<A>(link: RepeatLink, repeated: Repeated<A>): Promise<A> {
  const { ask, asked = {}, needs, isPending = () => false } = repeated;
  const { clock } = link;
  const deadline = clock.now() + repeated.waitMs;
  const end = deadline + ANSWER_SLACK_MS;
  /** Until when an agent that cannot do it may say otherwise. */
  let toldBy: number | undefined;
  for (;;) {
    const known = link.agent();
    const agent =
      known.state === 'online' ? known : await connectedAgent(link, end, asked.epoch !== undefined);
    if (asked.epoch !== undefined && agent.epoch !== asked.epoch)
      throw new NoAnswer('The machine was restarted.');
    if (!agent.can.includes(needs)) {
      toldBy ??= clock.now() + TOLD_WITHIN_MS;
      if (await hasChanged(link, toldBy)) continue;
      throw asked.epoch === undefined ? unsupported() : new NoAnswer('The machine has another agent now.');
    }
    toldBy = undefined;
    const askedAt = clock.now();
    // Clocks may count fractions.
    const waitMs = Math.min(AWAIT_MAX_MS, Math.round(Math.max(0, deadline - askedAt)));
    try {
      const answer = await ask(waitMs, Math.min(waitMs + ANSWER_SLACK_MS, end - askedAt), agent.epoch);
      asked.epoch = agent.epoch;
      const now = clock.now();
      // An agent that answers long before its time would be asked again and again.
      if (!isPending(answer) || now >= deadline || now - askedAt < waitMs / 2) return answer;
    } catch (error) {
      const isLost = error instanceof Refusal && error.code === 'agent_offline';
      if (!isLost || clock.now() >= end) throw error;
      if (error instanceof NoAnswer) asked.epoch = agent.epoch;
      // Not done, neither by the relay nor by an agent of another epoch. What is known of the agent changes soon, or has.
      else if (asked.epoch === undefined) {
        // The agent has been replaced, and the relay does not know the new one yet.
        if (!(await hasChanged(link, clock.now() + TOLD_WITHIN_MS))) throw error;
      } else if (link.agent().state === 'online' && link.agent().epoch === agent.epoch)
        await changed(link, end);
    }
  }
}

/**
 * Throws `unsupported` if the agent, or the relay, is too old. An earlier relay closes the connection of a client that
 * sends a message it does not know.
 */
export function requireAbility(link: RepeatLink, ability: Ability): void {
  const { state, can } = link.agent();
  if (state === 'online' && !can.includes(ability)) throw unsupported();
}

const unsupported = () =>
  new Refusal('unsupported', 'The agent of this machine is too old for this. Update it.');

/** Resolves once the agent is connected. Unless it may have got the request already, its absence is a refusal. */
async function connectedAgent(link: RepeatLink, end: number, mayHaveArrived: boolean): Promise<KnownAgent> {
  for (;;) {
    const agent = link.agent();
    if (agent.state === 'online') return agent;
    if (agent.state === 'left') throw new NoAnswer();
    if (agent.state === 'offline' && !mayHaveArrived)
      throw new Refusal('agent_offline', 'The machine is not connected; try again later.');
    await changed(link, end);
  }
}

/** Resolves after the next change; with false if there is none until `end`. */
async function hasChanged(link: RepeatLink, end: number): Promise<boolean> {
  if (link.clock.now() >= end) return false;
  return changed(link, end).then(
    () => true,
    () => false,
  );
}

/** Resolves after the next change; rejects at `end`. */
function changed({ clock, onChange }: RepeatLink, end: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      cancel();
      stop();
      act();
    };
    const cancel = clock.after(Math.max(0, end - clock.now()), () =>
      settle(() => reject(new NoAnswer('The connection was lost for too long.'))),
    );
    const stop = onChange(() => settle(resolve));
  });
}
