/** The environment of the attacks: one relay as `npm start` runs it, and two machines of two workspaces. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepOwner } from '../../cli/owner/owner-key.ts';
import { mintToken, type TokenRequest } from '../../cli/relay/mint-token.ts';
import { type Relay, startRelay } from '../../cli/relay/relay.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { AgentProcess } from '../contenders/agent-process.ts';
import { HoldfastClient } from '../contenders/holdfast-client.ts';
import { shell } from '../contenders/terminal.ts';
import { Fleet, type StolenFromOwner } from './fleet.ts';

const SECRET = 'a secret for this run that has more than thirty-two bytes';
const TOKEN_LIFETIME_S = 3600;

/** The workspace that is attacked, by its own members, and one in which somebody only types. */
export const ATTACKED = 'attacked';
export const VICTIM = 'victim';
/** A workspace whose agent is the attacker. */
export const HOSTILE = 'hostile';

/** More such workspaces. */
const ALSO_HOSTILE = ['hostile-1', 'hostile-2', 'hostile-3'];

/** Everything that an attacker's process is given. */
export interface AttackerTarget {
  readonly relay: string;
  readonly viewer: string;
  readonly operator: string;
  readonly hostileAgent: string;
  readonly hostileViewer: string;
  /** Agents of other workspaces, which attack together. */
  readonly alsoHostile: readonly { readonly workspace: string; readonly agent: string }[];
  /** A session of the attacked workspace that prints endlessly, and one that is quiet. */
  readonly flood: string;
  readonly quiet: string;
  /** For attacks on the owner's routes. */
  readonly stolen?: StolenFromOwner;
}

/** A session that prints a coloured log in a wide window without end, and one at a prompt. */
interface AttackedSessions {
  readonly flood: string;
  readonly quiet: string;
}

export class Scene implements AsyncDisposable {
  readonly relay: Relay;
  readonly attackedAgent: AgentProcess;
  readonly #fleet: Fleet;
  readonly #resources: AsyncDisposableStack;
  #sessions: AttackedSessions | undefined;

  private constructor(
    relay: Relay,
    fleet: Fleet,
    attackedAgent: AgentProcess,
    resources: AsyncDisposableStack,
  ) {
    this.relay = relay;
    this.#fleet = fleet;
    this.attackedAgent = attackedAgent;
    this.#resources = resources;
  }

  static async open(): Promise<Scene> {
    const resources = new AsyncDisposableStack();
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-abuse-'));
    resources.defer(() => rm(stateDir, { recursive: true, force: true }));
    const owner = await keepOwner(stateDir);
    const settings = { RELAY_OWNER_KEY: owner.publicKey };
    const relay = await startRelay({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET, settings });
    resources.defer(() => relay.stop());
    const agents = [];
    for (const workspace of [ATTACKED, VICTIM]) {
      const token = await tokenFor({ workspace, role: 'agent' });
      agents.push(
        resources.use(await AgentProcess.start({ relay: relay.url, workspace, token, keeper: true })),
      );
    }
    const [attackedAgent] = agents;
    if (attackedAgent === undefined) throw new Error('invariant: two agents were started');
    return new Scene(relay, new Fleet(relay.url, owner), attackedAgent, resources);
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
  async target({ needsFleet = false }: { readonly needsFleet?: boolean } = {}): Promise<AttackerTarget> {
    this.#sessions ??= await this.#openSessions();
    return {
      relay: this.relay.url.href,
      viewer: await tokenFor({ workspace: ATTACKED, role: 'viewer' }),
      operator: await tokenFor({ workspace: ATTACKED, role: 'operator' }),
      hostileAgent: await tokenFor({ workspace: HOSTILE, role: 'agent' }),
      hostileViewer: await tokenFor({ workspace: HOSTILE, role: 'viewer' }),
      alsoHostile: await Promise.all(
        ALSO_HOSTILE.map(async (workspace) => ({
          workspace,
          agent: await tokenFor({ workspace, role: 'agent' }),
        })),
      ),
      ...this.#sessions,
      ...(needsFleet ? { stolen: await this.#fleet.stolen() } : {}),
    };
  }

  /** Closes what an attack has left running on the attacked machine. */
  async closeStrays(): Promise<void> {
    using operator = await this.operator(ATTACKED);
    const ours = [this.#sessions?.flood, this.#sessions?.quiet];
    const all = await operator.client.list();
    for (const { id } of all) if (!ours.includes(id)) await operator.client.close(id).catch(() => {});
  }

  async #openSessions(): Promise<AttackedSessions> {
    const operator = await this.operator(ATTACKED);
    const line = "printf '\\033[1;31m%s\\033[0m \\033[4;32m%s\\033[0m %s\\n'";
    const coloured = `while :; do ${line} "$(seq -s ' ' 120)" "$(seq -s . 60)" "$(date)"; sleep 0.01; done`;
    const flood = await operator.client.create({
      cols: 400,
      rows: 50,
      command: 'sh',
      args: ['-c', coloured],
    });
    const quiet = await operator.create(shell('read x'));
    return { flood: flood.id, quiet };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

function tokenFor(request: Pick<TokenRequest, 'workspace' | 'role'>): Promise<string> {
  return mintToken({ ...request, lifetimeSeconds: TOKEN_LIFETIME_S }, SECRET);
}
