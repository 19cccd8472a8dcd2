/** Where the project is, or the installed package: above this file, as source in cli/ or built in dist/cli/. */
export const PROJECT = new URL(import.meta.url.endsWith('.ts') ? '../' : '../../', import.meta.url);
