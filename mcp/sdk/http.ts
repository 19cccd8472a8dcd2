/**
 * Streamable HTTP without sessions: every POST gets a server of its own, and its answer as JSON or as a stream of
 * events.
 */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { ToolHost } from '../call/tool-host.ts';
import { TOOLS } from '../tools/tools.ts';
import { mcpServer } from './server.ts';

/** A comment is written this often: only a write shows that a reader is gone, and proxies close silent connections. */
const COMMENT_EVERY_MS = 5_000;

/** The types of the runtime that serves it; this folder is compiled without any. */
type Fetch = McpHttpHandler['fetch'];

interface HttpCall {
  readonly request: Parameters<Fetch>[0];
  /** Its body, which was read with our own limits. */
  readonly body: unknown;
  readonly version: string;
}

export function answerMcp(host: ToolHost, { request, body, version }: HttpCall): ReturnType<Fetch> {
  const handler = createMcpHandler(() => mcpServer(host, version), {
    // Nothing of ours changes its list of tools, so a stream that waits for that would only be held open.
    maxSubscriptions: 0,
    keepAliveMs: COMMENT_EVERY_MS,
    responseMode: isPatient(body) ? 'sse' : 'auto',
  });
  return handler.fetch(request, { parsedBody: body });
}

/** Whether the request calls a tool that may wait, whose reader may leave meanwhile. */
function isPatient(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' && TOOLS.some((tool) => tool.isPatient && tool.name === params?.name);
}
