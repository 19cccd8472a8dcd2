/** Shows the key that the workspace knows its agent by, and forgets it. Rule AK7. */
import { fingerprint } from '../gate/agent-challenge.ts';
import { ask, type Handler } from './http.ts';

export const showAgentKey: Handler = (c) =>
  ask(
    c,
    (object, caller) => object.agentKey(caller),
    async (pinned) => {
      if (pinned === null) return c.json({ key: null });
      const { key, pinnedAt, pinnedBy } = pinned;
      return c.json({ key: { fingerprint: await fingerprint(key), pinnedAt, pinnedBy } });
    },
  );

/** The agent that is connected stays; the next one that offers a key is known by it. */
export const resetAgentKey: Handler = (c) =>
  ask(
    c,
    (object, caller) => object.resetAgentKey(caller),
    () => c.body(null, 204),
  );
