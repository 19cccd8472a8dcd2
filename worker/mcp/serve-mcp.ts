/**
 * `/mcp`: the tools for coding agents, as Streamable HTTP without sessions. Each call is a client of the workspace, like
 * a request of the API, and has its limits.
 */
import { MCP_MESSAGE_MAX_BYTES } from '../../protocol/limits.ts';
import { jsonValue } from '../api/request/request.ts';
import { ApiError } from '../http/api-error.ts';
import type { Handler } from '../http/http.ts';
import { PRODUCT_VERSION } from '../platform/version.ts';
import { workerHost } from './worker-host.ts';

export const serveMcp: Handler = async (c) => {
  const body = await jsonValue(c, MCP_MESSAGE_MAX_BYTES);
  // Each message is a request with its own limits; several in one would have them once.
  if (Array.isArray(body))
    throw new ApiError(400, 'bad_request', 'Batches are not accepted. Send one message in each request.');
  const call = { request: c.req.raw, body, version: PRODUCT_VERSION };
  // The SDK is half of the bundle. Evaluated here, it delays the start of no isolate, and only the first call.
  const { answerMcp } = await import('../../mcp/sdk/http.ts');
  const answer = await answerMcp(workerHost(c), call);
  // With the headers that were set before, which a response from elsewhere does not have.
  return c.newResponse(answer.body, answer);
};
