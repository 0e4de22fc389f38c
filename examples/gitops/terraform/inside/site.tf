resource "kubernetes_manifest" "site" {
  manifest = {
    apiVersion = "example.com/v1"
    kind       = "Site"
    metadata   = { name = "shop", namespace = "default" }
    spec       = { host = "shop.example.com" }
  }
}
