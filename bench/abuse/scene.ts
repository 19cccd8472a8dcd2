/** The environment of the attacks: one relay as `npm start` runs it, and two machines of two workspaces. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, type TokenRequest } from '../../cli/relay/mint-token.ts';
import { type Relay, startRelay } from '../../cli/relay/relay.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { AgentProcess } from '../contenders/agent-process.ts';
import { HoldfastClient } from '../contenders/holdfast-client.ts';

const SECRET = 'a secret for this run that has more than thirty-two bytes';
const TOKEN_LIFETIME_S = 3600;

/** The workspace that is attacked, by its own members, and one in which somebody only types. */
export const ATTACKED = 'attacked';
export const VICTIM = 'victim';
/** A workspace whose agent is the attacker. */
export const HOSTILE = 'hostile';

/** Everything that an attacker's process is given. */
export interface AttackerTarget {
  readonly relay: string;
  readonly viewer: string;
  readonly operator: string;
  readonly hostileAgent: string;
  readonly hostileViewer: string;
  /** A session of the attacked workspace that prints endlessly, and one that is quiet. */
  readonly flood: string;
  readonly quiet: string;
}

export class Scene implements AsyncDisposable {
  readonly relay: Relay;
  readonly attackedAgent: AgentProcess;
  readonly #resources: AsyncDisposableStack;

  private constructor(relay: Relay, attackedAgent: AgentProcess, resources: AsyncDisposableStack) {
    this.relay = relay;
    this.attackedAgent = attackedAgent;
    this.#resources = resources;
  }

  static async open(): Promise<Scene> {
    const resources = new AsyncDisposableStack();
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-abuse-'));
    resources.defer(() => rm(stateDir, { recursive: true, force: true }));
    const relay = await startRelay({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET });
    resources.defer(() => relay.stop());
    const agents = [];
    for (const workspace of [ATTACKED, VICTIM]) {
      const token = await tokenFor({ workspace, role: 'agent' });
      agents.push(resources.use(await AgentProcess.start({ relay: relay.url, workspace, token })));
    }
    const [attackedAgent] = agents;
    if (attackedAgent === undefined) throw new Error('invariant: two agents were started');
    return new Scene(relay, attackedAgent, resources);
  }

  /** An operator of a workspace whose machine is online. */
  async operator(workspace: string): Promise<HoldfastClient> {
    const token = await tokenFor({ workspace, role: 'operator' });
    const dial = relayDial(this.relay.url, `/ws/workspaces/${workspace}`, () => ({ ok: true, token }));
    const client = this.#resources.use(new HoldfastClient(dial));
    await client.online();
    return client;
  }

  /** New credentials for each attack, so that limits per token start again. */
  async target(sessions: { readonly flood: string; readonly quiet: string }): Promise<AttackerTarget> {
    return {
      relay: this.relay.url.href,
      viewer: await tokenFor({ workspace: ATTACKED, role: 'viewer' }),
      operator: await tokenFor({ workspace: ATTACKED, role: 'operator' }),
      hostileAgent: await tokenFor({ workspace: HOSTILE, role: 'agent' }),
      hostileViewer: await tokenFor({ workspace: HOSTILE, role: 'viewer' }),
      ...sessions,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

function tokenFor(request: Pick<TokenRequest, 'workspace' | 'role'>): Promise<string> {
  return mintToken({ ...request, lifetimeSeconds: TOKEN_LIFETIME_S }, SECRET);
}
