import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "openapi.json",
  output: process.env["STOWAGE_GENERATED"] ?? "src/api/generated",
  plugins: [
    "@hey-api/typescript",
    { name: "@hey-api/sdk", responseStyle: "data" },
    { name: "@hey-api/client-fetch", throwOnError: true, runtimeConfigPath: "@/api/problem" },
  ],
});
