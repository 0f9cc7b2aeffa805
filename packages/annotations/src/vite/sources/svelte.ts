/** Owns from where Svelte's dev build counts its paths: the project root, as everything else here. */
import type { OfferingPlugin } from './vue.ts';

/** Sets the root of Svelte's paths, when its plugin is there and the project has not chosen one. */
export function rootSveltePaths(plugins: readonly OfferingPlugin[], root: string): void {
  const svelte = plugins.find(({ name }) => name === 'vite-plugin-svelte:config');
  if (offersCompilerOptions(svelte?.api)) svelte.api.options.compilerOptions.rootDir ??= root;
}

function offersCompilerOptions(
  api: unknown,
): api is { options: { compilerOptions: { rootDir?: string | undefined } } } {
  if (typeof api !== 'object' || api === null || !('options' in api)) return false;
  const { options } = api;
  if (typeof options !== 'object' || options === null || !('compilerOptions' in options)) return false;
  return typeof options.compilerOptions === 'object' && options.compilerOptions !== null;
}
