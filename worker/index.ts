/**
 * The entry point of the Worker: exports the request handler and the Durable Object classes that the platform looks
 * for.
 */
import { createApp } from './app.ts';
import { addressed } from './http/addressed-request.ts';
import type { Env } from './http/env.ts';

export { Fleet } from './fleet/fleet.ts';
export { TerminalInlet } from './workspace/terminal-inlet.ts';
export { Workspace } from './workspace/workspace.ts';

const app = createApp();

export default {
  fetch: (request, env, context) => app.fetch(addressed(request, env.SELF_HOSTED), env, context),
} satisfies ExportedHandler<Env>;
