// Tiny clicks, made on the spot. Silent unless switched on.
import { settings } from "../ui/settings.svelte";

let audio: AudioContext | null = null;

function tone(frequency: number, length: number, loudness: number, delay = 0, shape: OscillatorType = "sine") {
  if (!settings.sound) return;
  audio ??= new AudioContext();
  const start = audio.currentTime + delay;
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.type = shape;
  oscillator.frequency.setValueAtTime(frequency, start);
  oscillator.frequency.exponentialRampToValueAtTime(frequency * 0.7, start + length);
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

export const sounds = {
  pick: () => tone(1400, 0.05, 0.08, 0, "triangle"),
  putBack: () => tone(900, 0.05, 0.06, 0, "triangle"),
  token: () => tone(1800, 0.06, 0.07, 0, "triangle"),
  card: () => tone(320, 0.09, 0.1),
  tile: () => [660, 880, 1320].forEach((frequency, i) => tone(frequency, 0.22, 0.06, i * 0.08)),
  turn: () => [520, 780].forEach((frequency, i) => tone(frequency, 0.14, 0.07, i * 0.09)),
  end: () => [523, 659, 784, 1046].forEach((frequency, i) => tone(frequency, 0.35, 0.06, i * 0.12)),
};
