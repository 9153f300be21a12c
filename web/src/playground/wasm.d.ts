// wasm.d.ts: what Vite makes of the module (an address that holds its bytes) and of the worker (a class that starts it).
declare module '*.wasm?inline' {
  const address: string; // data:...;base64,...
  export default address;
}
declare module '*?worker&inline' {
  const Constructor: { new (): Worker };
  export default Constructor;
}
