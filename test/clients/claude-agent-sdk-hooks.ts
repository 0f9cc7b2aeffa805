/** For programs of the documentation in a process of their own: what they import as the Claude Agent SDK has a stand-in below it. */
import { registerHooks } from 'node:module';

const url = new URL('claude-agent-sdk.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    // The package itself asks for nothing of that name.
    const isOwn = context.parentURL?.includes('/test/tools/') ?? false;
    if (specifier !== '@anthropic-ai/claude-agent-sdk' || isOwn || context.conditions.includes('require'))
      return next(specifier, context);
    return { url, format: 'module-typescript', shortCircuit: true };
  },
});
