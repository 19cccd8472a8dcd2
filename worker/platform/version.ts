/** The version that `/health` reports; the build inserts it from package.json. */
declare const __VERSION__: string;

export const PRODUCT_VERSION: string = __VERSION__;
