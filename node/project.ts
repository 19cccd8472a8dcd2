/**
 * The root of the project or of the installed package: one level above this source file, two above a build in
 * dist/cli/.
 */
export const PROJECT = new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', import.meta.url);
