// vite.config.ts: builds the page as one HTML file: script and styles inlined, nothing to load.
import { defineConfig, type Plugin } from 'vite';

function inlineAll(): Plugin {
  return {
    name: 'inline-all',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('there is no index.html');
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') {
          // no text of the program may end its element
          const code = part.code.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
          html = html.replace(new RegExp(`<script[^>]*src="[^"]*${part.fileName}"[^>]*></script>`), '');
          // at the end of the body, so that the data are there when it runs
          html = html.replace('</body>', () => `<script>${code.trim()}</script>\n</body>`);
        } else if (name.endsWith('.css')) {
          html = html.replace(new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`), () => `<style>${String(part.source).trim()}</style>`);
        } else continue;
        delete bundle[name];
      }
      if (/(src|href)="(?!#|data:)/.test(html.replace(/<script>[\s\S]*<\/script>/, ''))) throw new Error('the page would load a file');
      page.source = html;
    },
  };
}

export default defineConfig({
  base: './',
  build: {
    target: 'es2020',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Infinity,
    rollupOptions: { output: { format: 'iife', entryFileNames: 'page.js', assetFileNames: 'page[extname]' } },
  },
  plugins: [inlineAll()],
});
