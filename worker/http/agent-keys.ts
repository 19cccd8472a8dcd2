/** Shows the workspace's pin, which is the stored key of its agent, and removes it. Rule AK7. */
import { fingerprint } from '../gate/agent-challenge.ts';
import { callWorkspace, type Handler } from './http.ts';

export const showAgentKey: Handler = async (c) => {
  const pinned = await callWorkspace(c, (object, caller) => object.agentKey(caller));
  if (pinned === null) return c.json({ key: null });
  const { key, pinnedAt, pinnedBy } = pinned;
  return c.json({ key: { fingerprint: await fingerprint(key), pinnedAt, pinnedBy } });
};

/** The connected agent stays connected. The next agent that offers a key is pinned. */
export const resetAgentKey: Handler = async (c) => {
  await callWorkspace(c, (object, caller) => object.changeAgentKey(caller, { kind: 'reset' }));
  return c.body(null, 204);
};
