/** MCP over the standard streams of a process; for Node. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { MCP_MESSAGE_MAX_BYTES } from '../../protocol/limits.ts';
import type { ToolHost } from '../call/tool-host.ts';
import { mcpServer } from './server.ts';

interface StdioOptions {
  readonly version: string;
  /** Told what a person who looks for a fault wants to read. */
  readonly onError: (error: Error) => void;
}

/** Serves until the client closes its end, or breaks the rules. */
export function serveOverStdio(host: ToolHost, { version, onError }: StdioOptions): Promise<void> {
  return new Promise((resolve) => {
    const transport = new ClosingTransport(resolve);
    serveStdio(() => mcpServer(host, version), { transport, onerror: onError, maxSubscriptions: 0 });
  });
}

/** Tells when it is closed, by whatever side: the SDK keeps the transport's own event for itself. */
class ClosingTransport extends StdioServerTransport {
  readonly #closed: () => void;

  constructor(closed: () => void) {
    super(undefined, undefined, { maxBufferSize: MCP_MESSAGE_MAX_BYTES });
    this.#closed = closed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed();
  }
}
