provider "kubernetes" {
  host                   = "https://127.0.0.1:8443/kubernetes/project/web/virtualcluster/shop"
  token                  = trimspace(file("../.flotilla/admin.key"))
  cluster_ca_certificate = file("../.flotilla/ca.crt")
}

resource "kubernetes_config_map_v1" "settings" {
  metadata {
    name      = "settings"
    namespace = "default"
  }
  data = {
    color = "blue"
  }
}

resource "kubernetes_manifest" "site_definition" {
  manifest = {
    apiVersion = "apiextensions.k8s.io/v1"
    kind       = "CustomResourceDefinition"
    metadata   = { name = "sites.example.com" }
    spec = {
      group = "example.com"
      scope = "Namespaced"
      names = { plural = "sites", singular = "site", kind = "Site", listKind = "SiteList" }
      versions = [{
        name    = "v1"
        served  = true
        storage = true
        schema = {
          openAPIV3Schema = {
            type = "object"
            properties = {
              spec = { type = "object", properties = { host = { type = "string" } } }
            }
          }
        }
      }]
    }
  }
}
