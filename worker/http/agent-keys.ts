/** Shows the workspace's pin, which is the stored key of its agent, and removes it. Rule AK7. */
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

/** The connected agent stays connected. The next agent that offers a key is pinned. */
export const resetAgentKey: Handler = (c) =>
  ask(
    c,
    (object, caller) => object.resetAgentKey(caller),
    () => c.body(null, 204),
  );
