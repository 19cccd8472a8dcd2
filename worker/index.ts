/** What the platform looks for: the request handler and the object's class. Nothing else lives here. */
import { createApp } from './app.ts';

export { Workspace } from './workspace.ts';

export default createApp();
