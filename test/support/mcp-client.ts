/** Clients of our MCP servers that others wrote: those of the official SDK, over both transports, in both revisions. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BIN, plainEnvironment } from './holdfast-command.ts';

/** Where a client finds the workspace. */
export interface McpPlace {
  readonly relay: URL;
  readonly workspace: string;
  readonly token: string;
}

export const TRANSPORTS = ['stdio', 'http'] as const;
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

/** Every way to connect, for tables of tests. */
export const WAYS = TRANSPORTS.flatMap((transport) => REVISIONS.map((revision) => ({ transport, revision })));
export type Way = (typeof WAYS)[number];

/** How the clients call themselves. */
export const CLIENT_NAME = 'A coding agent';

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly facts: Record<string, unknown>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    readonly progress: number;
    readonly message?: string | undefined;
  }) => void;
}

/** Longer than any call of a test; the SDK's default is the minute that some clients have. */
const CALL_WITHIN_MS = 300_000;

export class McpClient implements AsyncDisposable {
  readonly client: Client;
  readonly #transport: Transport;

  private constructor(client: Client, transport: Transport) {
    this.client = client;
    this.#transport = transport;
  }

  static async connect(place: McpPlace, { transport, revision }: Way): Promise<McpClient> {
    const client = new Client(
      { name: CLIENT_NAME, version: '1.0.0' },
      { versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } } },
    );
    const way = transport === 'stdio' ? overStdio(place) : overHttp(place);
    await client.connect(way);
    return new McpClient(client, way);
  }

  /** The process of `holdfast mcp`. */
  get pid(): number | null {
    return this.#transport instanceof StdioClientTransport ? this.#transport.pid : null;
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, input: object, options: CallOptions = {}): Promise<Answer> {
    const result = await this.client.callTool(
      { name, arguments: { ...input } },
      { timeout: CALL_WITHIN_MS, resetTimeoutOnProgress: true, ...options },
    );
    const [first] = result.content;
    return {
      isError: result.isError === true,
      text: first?.type === 'text' ? first.text : '',
      facts: (result.structuredContent ?? {}) as Record<string, unknown>,
    };
  }

  /** A call that must succeed: what it answers. */
  async facts(name: string, input: object, options: CallOptions = {}): Promise<Record<string, unknown>> {
    const { isError, text, facts } = await this.call(name, input, options);
    if (isError) throw new Error(`${name} failed: ${text}`);
    return facts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

export const mcpEnvironment = ({ relay, workspace, token }: McpPlace): Record<string, string> =>
  plainEnvironment({ HOLDFAST_RELAY: relay.href, HOLDFAST_WORKSPACE: workspace, HOLDFAST_TOKEN: token });

function overStdio(place: McpPlace): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp'],
    env: mcpEnvironment(place),
    stderr: 'pipe',
  });
}

function overHttp({ relay, token }: McpPlace): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL('/mcp', relay), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
}
