/**
 * The entry point of the Worker: exports the request handler and the Durable Object classes that the platform looks
 * for.
 */
import { createApp } from './app.ts';

export { TerminalInlet } from './workspace/terminal-inlet.ts';
export { Workspace } from './workspace/workspace.ts';

export default createApp();
