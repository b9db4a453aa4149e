import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { installWorker, loadAnew } from "./worker/client";

addEventListener("vite:preloadError", loadAnew);
installWorker();

export default mount(App, { target: document.getElementById("app")! });
