/** What the platform looks for: the request handler and the objects' classes. Nothing else lives here. */
import { createApp } from './app.ts';

export { TerminalInlet } from './workspace/terminal-inlet.ts';
export { Workspace } from './workspace/workspace.ts';

export default createApp();
